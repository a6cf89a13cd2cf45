"""What is known of entries that are missing, from what is seen of their row and domain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.gaps.conditional import (
    Covariance,
    FactorCovariance,
    FullCovariance,
    Rows,
    noise,
)
from elsewhere.gaps.matching import matched, matched_by_column
from elsewhere.gaps.narrow import narrow_covariances
from elsewhere.gaps.observed import Observed, Table
from elsewhere.gaps.together import NONE, drawn_together
from elsewhere.gaps.wide import wide_factors

NARROW = 40  # columns up to which covariances are matrices
NEGLIGIBLE = 1e-9
SEED = 0  # of all draws, so that the same rows are always filled alike
Means = Float[np.ndarray, "D p"]


@dataclass(frozen=True)
class GapModel:
    """y_d ~ N(μ_d, Σ_d) in link space: missing at random, given what is seen of the row.

    Attributes:
        means: μ_d, drawn towards the mean of all domains where chance explains the difference.
        covariances: Σ_d.
        counts: entries seen, by domain and column.
        rows: rows of each domain.
    """

    means: Float[np.ndarray, "D p"]
    covariances: tuple[Covariance, ...]
    counts: Float[np.ndarray, "D p"]
    rows: Float[np.ndarray, " D"]

    @property
    def unseen(self) -> np.ndarray:
        """[D, p]: columns that were never seen in a domain."""
        return self.counts == 0

    @property
    def missing(self) -> int:
        """How many entries of the rows fitted were missing."""
        return int((self.rows[:, None] - self.counts).sum())

    def expected(self, y: Rows, codes: Codes) -> Rows:
        """E[y | what is seen] in each row's own domain; rows without gaps as they are."""
        answer = y.copy()
        for i, rows in self._with_gaps(y, codes):
            answer[rows] = self._expected(i, y[rows])
        return answer

    def drawn(self, y: Rows, codes: Codes, seed: int = SEED) -> Rows:
        """The expectation and a draw of what it leaves open, which varies as seen entries do."""
        answer = y.copy()
        for i, rows in self._with_gaps(y, codes):
            answer[rows] = self._expected(i, y[rows]) + self._draw(i, ~np.isnan(y[rows]), seed)
        return answer

    def log_left_open(self, y: Rows, codes: Codes) -> Float[np.ndarray, " n"]:
        """log p(missing = its expectation | what is seen); 0 for rows without gaps."""
        answer = np.zeros(len(y))
        for i, rows in self._with_gaps(y, codes):
            seen = ~np.isnan(y[rows])
            constant = 0.5 * np.log(2 * np.pi) * (~seen).sum(axis=1)
            answer[rows] = -self.covariances[i].half_log_det(seen) - constant
        return answer

    def lost(self, i: int, j: int) -> Float[np.ndarray, " p"]:
        """√(rows/entries seen), the larger of two domains': how much less sure gaps make it."""
        share = np.maximum(self.counts[[i, j]], 1.0) / self.rows[[i, j], None]
        return 1 / np.sqrt(share.min(axis=0))

    def filled(self, y: Rows, codes: Codes) -> Rows:
        """The rows to fit: drawn, the draws keeping means and covariances as estimated."""
        if not np.isnan(y).any():
            return y
        answer = y.copy()
        for i in range(len(self.rows)):
            answer[codes == i] = self._filled(i, y[codes == i])
        return answer

    def with_domain(self, table: Rows) -> "GapModel":
        """One more domain, with its own means and deviations and the correlations of the others."""
        seen, pooled = Observed([table]), self.means.mean(axis=0)
        means = np.where(seen.counts[0] > 0, seen.means[0], pooled)
        return self._with(means, np.sqrt(seen.variances[0]), seen.counts[0], seen.rows[0])

    def with_combination(self, weights: Float[np.ndarray, " D"]) -> "GapModel":
        """One more domain: means and log deviations as of the others, with these weights.

        A column is never seen there if it is in none of the domains that have a weight.
        """
        scales = np.stack([_scale(covariance) for covariance in self.covariances])
        used = np.abs(weights) > NEGLIGIBLE
        counts, rows = self.counts[used].sum(axis=0), self.rows[used].sum()
        return self._with(weights @ self.means, np.exp(weights @ np.log(scales)), counts, rows)

    def _with(
        self,
        means: Float[np.ndarray, " p"],
        scale: Float[np.ndarray, " p"],
        counts: Float[np.ndarray, " p"],
        rows: float,
    ) -> "GapModel":
        last = self.covariances[-1]
        if isinstance(last, FactorCovariance):
            new: Covariance = replace(last, scale=scale)
        else:
            new = FullCovariance(_rescaled([c.matrix for c in self.covariances], scale))  # type: ignore[attr-defined]
        return GapModel(
            np.vstack([self.means, means]),
            (*self.covariances, new),
            np.vstack([self.counts, counts]),
            np.append(self.rows, rows),
        )

    def _with_gaps(self, y: Rows, codes: Codes) -> list[tuple[int, np.ndarray]]:
        gaps = np.isnan(y).any(axis=1)
        return [(int(i), np.flatnonzero(gaps & (codes == i))) for i in np.unique(codes[gaps])]

    def _expected(self, i: int, y: Rows) -> Rows:
        seen = ~np.isnan(y)
        u = np.where(seen, y - self.means[i], 0.0)
        return np.where(seen, y, self.means[i] + self.covariances[i].expected(u, seen))

    def _draw(self, i: int, seen: np.ndarray, seed: int) -> Rows:
        rng = np.random.default_rng([seed, i])
        return noise(self.covariances[i], seen, self.covariances[i].draw(rng, len(seen)))

    def _filled(self, i: int, table: Rows) -> Rows:
        missing = np.isnan(table)
        if not missing.any():
            return table
        expected, draw = self._expected(i, table), self._draw(i, ~missing, SEED)
        covariance = self.covariances[i]
        if isinstance(covariance, FullCovariance):
            e = matched(expected, draw, missing, covariance.left_open(~missing))
        else:
            left = covariance.spread(~missing).sum(axis=0)
            e = matched_by_column(expected, draw, missing, left)
        return np.where(missing, expected + e, table)


def fit_gaps(tables: Sequence[Table]) -> GapModel:
    """The model of the rows of every domain, NaN where an entry is missing."""
    seen = Observed(tables)
    if tables[0].shape[1] <= NARROW:
        means, matrices = narrow_covariances(tables, seen)
        covariances: tuple[Covariance, ...] = tuple(FullCovariance(m) for m in matrices)
        variances = np.diagonal(matrices, axis1=1, axis2=2)
    else:
        means, covariances = wide_factors(tables, seen)
        variances = np.stack([c.scale**2 for c in covariances])  # type: ignore[attr-defined]
    together = drawn_together(means, variances / np.maximum(seen.counts, NONE))
    return GapModel(together, covariances, seen.counts, seen.rows)


def _scale(covariance: Covariance) -> Float[np.ndarray, " p"]:
    """The deviation of each column."""
    if isinstance(covariance, FullCovariance):
        return np.sqrt(np.diag(covariance.matrix))
    return covariance.scale  # type: ignore[attr-defined]


def _rescaled(matrices: Sequence[np.ndarray], scale: np.ndarray) -> Float[np.ndarray, "p p"]:
    """The mean of the domains' correlations, with these deviations."""
    units = [np.sqrt(np.diag(m)) for m in matrices]
    shared = np.mean([m / np.outer(u, u) for m, u in zip(matrices, units, strict=True)], axis=0)
    return shared * np.outer(scale, scale)
