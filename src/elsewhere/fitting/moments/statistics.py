"""Means and spreads of every domain, the rows' influences on them, and how far they err."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.fitting.moments.contrasts import NO_ROWS
from elsewhere.fitting.moments.parts import Parts, Rows, parts_of

SMALLEST_RATIO = 1e-6  # of a domain's variance to that of all, at least
LARGEST = 1 - 1e-6  # share of one row in the squares of its domain
Tables = Sequence[Float[np.ndarray, "_ p"]]


@dataclass(frozen=True)
class Statistics:
    """The rows of each domain about their mean.

    Attributes:
        tables: the rows.
        known: how many each domain has, where these are a sample of them.
    """

    tables: Tables
    known: Sequence[int] | None = None

    @cached_property
    def counts(self) -> Float[np.ndarray, " D"]:
        """Rows of each domain."""
        return self._at_hand if self.known is None else np.array(self.known, float)

    @property
    def _at_hand(self) -> Float[np.ndarray, " D"]:
        return np.array([len(table) for table in self.tables], float)

    @property
    def weights(self) -> Float[np.ndarray, " D"]:
        """√ of how many rows one at hand stands for, over the mean of that: 1 but for samples."""
        each = self.counts / self._at_hand
        return np.sqrt(each * (self._at_hand.sum() / self.counts.sum()))

    @property
    def freedom(self) -> int:
        """Rows at hand less domains, at least 1."""
        return max(int(self._at_hand.sum()) - len(self.tables), 1)

    @cached_property
    def means(self) -> Float[np.ndarray, "D p"]:
        """E_d[x]."""
        return np.stack([table.mean(axis=0) for table in self.tables])

    @property
    def residuals(self) -> Parts:
        """x − E_d[x]."""
        return parts_of(np.subtract, self.tables, self.means)

    @cached_property
    def pooled(self) -> Float[np.ndarray, " p"]:
        """The variance within domains; 1 where a column never varies within any."""
        parts = zip(self.residuals, self.weights**2, strict=True)
        squares = np.sum([(r**2).sum(axis=0) * w for r, w in parts], axis=0)
        return np.where(self.varies, squares / self.freedom, 1.0)

    @cached_property
    def varies(self) -> Bool[np.ndarray, " p"]:
        """Whether a column varies within some domain."""
        return np.any([(r != 0).any(axis=0) for r in self.residuals], axis=0)

    @cached_property
    def variances(self) -> Float[np.ndarray, "D p"]:
        """Var_d(x); that of all domains where a domain has fewer than 3 rows."""
        rows = [
            (r**2).sum(axis=0) / (len(r) - 1) if len(r) > 2 else self.pooled for r in self.residuals
        ]
        return np.maximum(rows, SMALLEST_RATIO * self.pooled)

    @cached_property
    def log_deviations(self) -> Float[np.ndarray, "D p"]:
        """½ log Var_d − ½ log Var, without the bias that few normal rows bring."""
        from scipy.special import digamma

        free = np.maximum(self.counts - 1, 2.0)
        bias = np.where(self.counts > 2, digamma(free / 2) - np.log(free / 2), 0.0)
        return 0.5 * (np.log(self.variances / self.pooled) - bias[:, None])

    @property
    def counts_for_deviations(self) -> Float[np.ndarray, " D"]:
        """n with Var(½ log s²) = ½/n for n_d normal rows: 2/ψ'((n_d − 1)/2)."""
        from scipy.special import polygamma

        free = np.maximum(self.counts - 1, 2.0)
        return np.where(self.counts > 2, 2 / polygamma(1, free / 2), NO_ROWS)

    @property
    def deviation_influences(self) -> Parts:
        """How much a row adds to its domain's log deviation: −n log(1 − h)/2, less the mean.

        h is the row's share of the sum of squares. Of many rows each has a small one, and this is
        (z² − 1)/2; a row that makes a domain's spread by itself makes its estimate worthless.
        """
        return parts_of(_influences, self.residuals)

    @property
    def distances(self) -> Parts:
        """|x − median of the domain| in deviations: their means compare spreads, robustly.

        The test of Brown and Forsythe (1974); a domain of one or two rows has no spread to compare
        and gets that of all.
        """
        unit = np.sqrt(self.pooled)
        away = parts_of(lambda t: _away(t, unit), self.tables)
        if min(away.sizes) > 2:
            return away
        usual = np.concatenate([a for a in away if len(a) > 2] or [*away]).mean(axis=0)
        return parts_of(lambda a: a if len(a) > 2 else np.tile(usual, (len(a), 1)), away)


def _influences(rows: Rows) -> Rows:
    """−n log(1 − h)/2, less the mean; in the memory of the residuals."""
    np.square(rows, out=rows)
    rows /= np.maximum(rows.sum(axis=0), 1e-300)
    np.minimum(rows, LARGEST, out=rows)
    np.log1p(np.negative(rows, out=rows), out=rows)
    rows *= -len(rows) / 2
    rows -= rows.mean(axis=0)
    return rows


def _away(table: Rows, unit: Float[np.ndarray, " p"]) -> Rows:
    away = table - np.median(table, axis=0)
    np.abs(away, out=away)
    away /= unit
    return away
