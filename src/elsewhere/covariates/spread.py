"""Covariates that change how much rows vary: e^{zT}, shared by all domains."""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.covariates.effects import CovariateEffects
from elsewhere.covariates.evidence import share_of_exchanges
from elsewhere.covariates.statistics import CovariateRows
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.shrinkage import shrink_columns

ROUNDS = 8
OUTLYING = 9.0  # of a variance: what a single row counts at most
Rows = Float[np.ndarray, "n p"]


def spread_effects(sample: CovariateRows, found: CovariateEffects) -> Float[np.ndarray, "q p"]:
    """T with Var(y | z, d) = σ_d² e^{2zT}, shrunken towards none; 0 where chance explains it."""
    seen, codes = sample.seen, sample.codes
    inside = sample.z - seen.z_means[codes]
    left = sample.y - seen.y_means[codes] - _explained(inside, codes, found)
    own = np.stack([(left[codes == i] ** 2).mean(axis=0) for i in range(len(seen.counts))])
    squares = left**2 / np.maximum(own, 1e-300)[codes]
    if _by_chance(inside, squares, codes) > LEVEL:
        return np.zeros_like(found.shared)
    slopes = np.zeros_like(found.shared)
    for _ in range(ROUNDS):
        slopes = slopes + _step(inside, squares * np.exp(-2 * inside @ slopes), codes)
    errors = np.full_like(slopes, 1 / (2 * len(codes)))
    return shrink_columns(slopes, errors)[0]


def _step(
    inside: Float[np.ndarray, "n q"], squares: Rows, codes: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "q p"]:
    """Fisher scoring: Σ z (r²/σ² − 1)/2N, z being white."""
    means = np.stack([squares[codes == i].mean(axis=0) for i in range(int(codes.max()) + 1)])
    scaled = np.minimum(squares / np.maximum(means, 1e-300)[codes], OUTLYING)
    return inside.T @ (scaled - 1) / (2 * len(inside))


def _by_chance(
    inside: Float[np.ndarray, "n q"], squares: Rows, codes: Int[np.ndarray, " n"]
) -> float:
    """The p-value of spreads that depend on covariates, by rows that change places in domains."""
    rng, places = np.random.default_rng(0), [np.flatnonzero(codes == i) for i in np.unique(codes)]
    scaled = np.minimum(squares, OUTLYING)
    scaled = scaled - np.stack([scaled[codes == i].mean(axis=0) for i in range(len(places))])[codes]

    def statistic(rows: Float[np.ndarray, "n q"]) -> float:
        return float(np.log1p((rows.T @ scaled) ** 2 / (2 * len(rows))).sum())

    observed = statistic(inside)

    def reaches() -> bool:
        exchanged = inside.copy()
        for at in places:
            exchanged[at] = inside[rng.permutation(at)]
        return statistic(exchanged) >= observed

    return share_of_exchanges(reaches)


def _explained(
    inside: Float[np.ndarray, "n q"], codes: Int[np.ndarray, " n"], found: CovariateEffects
) -> Rows:
    answer = np.empty((len(inside), found.shared.shape[1]))
    for i in np.unique(codes):
        answer[codes == i] = inside[codes == i] @ found.coefficients[i]
    return answer
