"""Do domains differ by offsets, given covariates? Rows that change places say."""

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.covariates.evidence import share_of_exchanges
from elsewhere.covariates.model import Covariates
from elsewhere.covariates.offsets import offset_contrasts
from elsewhere.fitting.moments.effects import NARROW, means_by_chance
from elsewhere.fitting.moments.statistics import Statistics

Rows = Float[np.ndarray, "n p"]
Z = Float[np.ndarray, "n q"]
TOLD = 10.0  # rows of each domain: a difference that is known no better than from so many
LEVEL_GIVEN = 0.05  # at which offsets are used
LEVEL_OF_SPREADS = 0.01  # at which what covariates leave differs in scale
LENIENT = 0.2  # the level where none could be shown, or where domains differ anyway


def without_chance_offsets(
    known: Covariates, rest: Rows, z: Z, y: Rows, codes: Codes
) -> tuple[Rows, float | None]:
    """(the rest, with equal means in all domains where chance explains that they vary; p-value).

    An engine sees the rest alone: it would take an error of B for an offset where covariates differ
    between domains, and an offset that B cannot explain for chance. The p-value is that of offsets
    to be used. Where domains differ in what covariates do, the rest stays as it is, and the p-value
    is not known.

    Args:
        known: what covariates do.
        rest: what they leave of the rows.
        z: the covariates' part of the regression.
        y: the rows.
        codes: their domains.
    """
    own = known.effects.own.any() or (known.effects.gains != 1).any()
    counts = np.bincount(codes).astype(float)
    if own:
        return rest, None
    p = offsets_by_chance(z, y, codes)
    if p <= LEVEL_GIVEN or (p <= LENIENT and _lenient(known, rest, codes)):
        return rest, p
    means = np.stack([rest[codes == i].mean(axis=0) for i in range(len(counts))])
    return rest - means[codes] + rest.mean(axis=0), None


def _lenient(known: Covariates, rest: Rows, codes: Codes) -> bool:
    """Whether covariates and domains nearly tell each other, or what is left differs in scale.

    Where they tell each other, rows can hardly show an offset, and none that is true would be used:
    there a shrunken one errs by less than none. Where scales differ, something does.
    """
    told = 1 / offset_contrasts(np.bincount(codes).astype(float), known.z_means).variances
    if told.max() < TOLD:
        return True
    apart = Statistics([rest[codes == i] for i in range(int(codes.max()) + 1)])
    return means_by_chance(apart.distances) <= LEVEL_OF_SPREADS


def offsets_by_chance(z: Z, y: Rows, codes: Codes) -> float:
    """The p-value of offsets α of y = α_d + z B + noise, by exchanges under y = α + z B + noise.

    What covariates leave of the rows changes places, and α, B and the noise are then estimated
    anew, so that the test is as sure of α as confounding allows (Freedman and Lane, 1983).
    """
    n, rng = len(y), np.random.default_rng(0)
    plain = _basis(np.c_[np.ones(n), z])
    domains = (codes[:, None] == np.arange(codes.max() + 1)).astype(float)
    apart = _basis(domains - plain @ (plain.T @ domains))
    left = y - plain @ (plain.T @ y)
    left = left / np.maximum(left.std(axis=0), 1e-300)
    less = _less_noise if left.shape[1] <= NARROW else _less_noise_by_column
    total = left.T @ left if left.shape[1] <= NARROW else (left**2).sum(axis=0)

    def statistic(rows: Rows) -> float:
        return less(total, plain.T @ rows, apart.T @ rows, n)

    observed = (1 - 1e-9) * statistic(left)
    return share_of_exchanges(lambda: statistic(left[rng.permutation(n)]) >= observed)


def _basis(columns: Float[np.ndarray, "n q"]) -> Float[np.ndarray, "n r"]:
    """Orthonormal columns that span these."""
    U, values, _ = np.linalg.svd(columns, full_matrices=False)
    return U[:, values > 1e-9 * max(1.0, values.max(initial=0.0))]


def _less_noise(
    total: Float[np.ndarray, "p p"],
    shared: Float[np.ndarray, "q p"],
    differing: Float[np.ndarray, "r p"],
    n: int,
) -> float:
    """log |noise without offsets| − log |noise with them|, the likelihood ratio per row.

    The more columns there are per row, the less correlation is believed.
    """
    without = total - shared.T @ shared
    p = len(total)
    believed = np.where(np.eye(p), 1 + 1e-9, n / (p + n))
    both = np.stack([without, without - differing.T @ differing]) * believed
    before, after = np.linalg.slogdet(both)[1]
    return float(before - after)


def _less_noise_by_column(
    total: Float[np.ndarray, " p"],
    shared: Float[np.ndarray, "q p"],
    differing: Float[np.ndarray, "r p"],
    n: int,
) -> float:
    """The same without correlations: Σ_j log of the ratio of the noise variances."""
    without = np.maximum(total - (shared**2).sum(axis=0), 1e-12)
    share = np.minimum((differing**2).sum(axis=0) / without, 1 - 1e-12)
    return float(-np.log1p(-share).sum())
