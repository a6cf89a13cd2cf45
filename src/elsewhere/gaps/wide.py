"""Means, scales and shared codes of a wide table with gaps, without a p × p matrix."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.directions import principal_directions
from elsewhere.gaps.conditional import FactorCovariance, noise
from elsewhere.gaps.observed import Observed, Table
from elsewhere.gaps.together import NONE, drawn_together

STEPS = 30
CLOSE = 1e-3  # deviations: the largest change of a mean at which it stops
MOST_CODES = 16
LEAST_OWN = 0.02  # of a column's variance that no code explains, at least
SEED = 0
Means = Float[np.ndarray, "D p"]


def wide_factors(
    tables: Sequence[Table], seen: Observed
) -> tuple[Means, tuple[FactorCovariance, ...]]:
    """(means, covariances) of each domain: Σ_d = S_d (L Lᵀ + diag(o)) S_d with shared L and o.

    Rows are filled by their expectation and by a draw of what is left open, always of the same
    random numbers, and the principal directions of the filled rows are those of the next step.
    """
    means, scales = seen.means, np.sqrt(seen.variances)
    covariances = tuple(
        FactorCovariance(np.zeros((means.shape[1], 1)), np.ones(means.shape[1]), scale)
        for scale in scales
    )
    for step in range(STEPS):
        expected, drawn = _filled(tables, means, covariances, seen)
        new = np.where(seen.counts > 0, np.stack([rows.mean(axis=0) for rows in expected]), means)
        scales = _scales(drawn, new, seen)
        moved = np.max(np.abs(new - means) / scales)
        means, covariances = new, _factors(drawn, new, scales, seen)
        if (moved < CLOSE and step > 1) or not seen.gaps:
            break
    return means, covariances


def _filled(
    tables: Sequence[Table],
    means: Means,
    covariances: Sequence[FactorCovariance],
    seen: Observed,
) -> tuple[list[Table], list[Table]]:
    """(by expectation, by a draw) the rows of every domain."""
    expected, drawn = [], []
    for i, (table, there) in enumerate(zip(tables, seen.there, strict=True)):
        rng = np.random.default_rng([SEED, i])
        u = covariances[i].expected(np.where(there, table - means[i], 0.0), there)
        left = noise(covariances[i], there, covariances[i].draw(rng, len(u)))
        expected.append(means[i] + u)
        drawn.append(means[i] + u + left)
    return expected, drawn


def _scales(drawn: Sequence[Table], means: Means, seen: Observed) -> Means:
    """The deviations of each domain, drawn together where chance explains their differences."""
    squares = np.stack([((r - m) ** 2).sum(axis=0) for r, m in zip(drawn, means, strict=True)])
    pooled = squares.sum(axis=0) / seen.freedom
    pooled = np.where(pooled > 0, pooled, 1.0)
    logs = 0.5 * np.log((squares + pooled) / seen.rows[:, None])
    return np.exp(drawn_together(logs, 0.5 / np.maximum(seen.counts, NONE)))


def _factors(
    drawn: Sequence[Table], means: Means, scales: Means, seen: Observed
) -> tuple[FactorCovariance, ...]:
    rows = np.concatenate([(r - m) / s for r, m, s in zip(drawn, means, scales, strict=True)])
    found = principal_directions(rows, int(seen.freedom))
    found = found.first(max(min(MOST_CODES, int((found.signal > 0).sum())), 1))
    loadings = found.basis * np.sqrt(found.signal)
    own = np.maximum(1 - (loadings**2).sum(axis=1), LEAST_OWN)
    return tuple(FactorCovariance(loadings, own, scale) for scale in scales)
