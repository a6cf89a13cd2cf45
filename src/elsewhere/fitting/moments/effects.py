"""Effects of domains on many columns at once: estimated with correlated errors, then shrunken."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from elsewhere.fitting.moments.contrasts import Contrasts, contrasts
from elsewhere.fitting.moments.directions import NARROW, principal_directions
from elsewhere.fitting.moments.errors import all_but_one_tiny, errors_of
from elsewhere.fitting.moments.parts import sizes_of, together
from elsewhere.fitting.moments.permutation import LEVEL, p_values
from elsewhere.fitting.moments.shrinkage import MOST, Values

LEVEL_OF_OFFSETS = 0.03  # they are the commonest difference, and the least harmful if it is none
LEVEL_OF_DIFFERENT = 0.05  # of scales, where domains differ by offsets
LEVEL_OF_FEW = 0.2  # the level where all domains but one are tiny
Estimates = Float[np.ndarray, "D p"]
Stack = Float[np.ndarray, "t D p"]


@dataclass(frozen=True)
class Effects:
    """How far each domain is from the mean of all, with the variances of what is not known.

    Attributes:
        means: posterior means; 0 where chance explains the differences.
        variances: posterior variances of the contrasts.
        weights: the contrasts' weights U: means = Uᵀ b.
        p_value: the probability of differences as large as these if domains do not differ.
    """

    means: Float[np.ndarray, "D *s"]
    variances: Float[np.ndarray, "a *s"]
    weights: Float[np.ndarray, "a D"]
    p_value: float

    @property
    def supported(self) -> bool:
        """Whether the effects are used: chance does not explain these, or not all differences."""
        return bool(self.means.any())


def judged(
    compared: Contrasts, means: Values, variances: Values, p: float, level: float = LEVEL
) -> Effects:
    """The effects if chance is ruled out; else none, with E[b²] for their variances."""
    found = compared.back(means)
    if p <= level:
        return Effects(found, variances, compared.weights, p)
    return Effects(0 * found, variances + means**2, compared.weights, p)


def left_out(effects: Effects, columns: Bool[np.ndarray, " p"]) -> Effects:
    """The effects without those of some columns, whose E[b²] is then their variance."""
    b = effects.weights @ effects.means
    variances = effects.variances + np.where(columns, b**2, 0.0)
    return replace(effects, means=np.where(columns, 0.0, effects.means), variances=variances)


def level_for(counts: Float[np.ndarray, " D"]) -> float:
    """LEVEL_OF_OFFSETS; LEVEL_OF_FEW where all domains but one are tiny.

    Such rows can show no more, and a shrunken offset errs by less than none would.
    """
    return LEVEL_OF_FEW if all_but_one_tiny(counts) else LEVEL_OF_OFFSETS


def shrunken_effects(
    estimates: Estimates,
    influences: Sequence[Float[np.ndarray, "_ p"]],
    counts: Float[np.ndarray, " D"],
    p: float,
    most: float = MOST,
    level: float = LEVEL,
    pattern: Float[np.ndarray, " p"] | None = None,
) -> Effects:
    """E[β | estimates], where estimates of β err together as the rows' influences vary together.

    An estimate is the mean of its rows' influences, so what the rows of one domain have in common
    by chance errs in every column at once. Effects are therefore shrunken along the directions in
    which influences vary: hard where samples vary much, hardly where they do not.

    Args:
        estimates: one per domain and column, in units in which effects of all columns compare.
        influences: of every row on its domain's estimate, mean 0 in each domain.
        counts: rows behind the estimates of each domain.
        p: the probability of estimates that differ as much if the domains do not.
        most: the largest variance of effects that is considered.
        level: the largest p at which they are used.
        pattern: effects that may be common to all columns, up to their size; see `along_pattern`.
    """
    every = together(influences)
    errors = errors_of(every, counts, max(len(every) - len(influences), 1))
    return judged(errors.compared, *errors.shrunken(estimates, most, pattern), p, level)


def effects_by_domain(
    estimates: Estimates,
    influences: Sequence[Float[np.ndarray, "_ p"]],
    counts: Float[np.ndarray, " D"],
    compared: Sequence[Float[np.ndarray, "_ p"]],
    most: float = MOST,
    level: float = LEVEL,
    scales: Estimates | None = None,
    pattern: Float[np.ndarray, " p"] | None = None,
    p: float | None = None,
) -> Effects:
    """`shrunken_effects`, with the p-value of the means of the rows `compared`, unless it is known.

    The scales that were taken out of all three do not matter where nothing adds up.
    """
    p = means_by_chance(compared) if p is None else p
    return shrunken_effects(estimates, influences, counts, p, most, level, pattern)


def means_by_chance(
    rows: Sequence[Float[np.ndarray, "_ p"]],
    compared: Contrasts | None = None,
    strata: Int[np.ndarray, " N"] | None = None,
) -> float:
    """The p-value of the domains' means, by rows that change places; the first of `of_means`."""
    return float(of_means(rows, compared, strata)[0])


def of_means(
    rows: Sequence[Float[np.ndarray, "_ p"]],
    compared: Contrasts | None = None,
    strata: Int[np.ndarray, " N"] | None = None,
) -> Float[np.ndarray, " t"]:
    """The p-values of the domains' means, by rows that change places.

    Along all directions within domains, which each exchange has anew, and along the one that
    differs most; of a wide table along the largest ones, over all columns, and in the column that
    differs most: the smallest of these.
    All differences count, unless some are named. With strata, rows change places within these.
    """
    sizes = np.array(sizes_of(rows), float)
    compared = contrasts(sizes) if compared is None else compared
    every = _standardised(together(rows))
    freedom = max(len(every) - len(sizes), 1)
    basis = _largest(every)
    along = every if every.shape[1] <= NARROW else every @ basis
    total = along.T @ along

    def statistic(means: Stack) -> Float[np.ndarray, "t _"]:
        coded = means @ basis
        within = (total - (np.swapaxes(coded, 1, 2) * sizes) @ coded) / freedom
        variances, V = _drawn_to_columns(within, len(every))
        along = (compared.reads @ coded @ V) ** 2 / variances[:, None]
        gains = _gains(along, compared)
        found = [gains.sum(axis=(1, 2)), gains.max(axis=(1, 2), initial=0.0)]
        if every.shape[1] > NARROW:
            columns = _gains((compared.reads @ means) ** 2, compared)
            found += [columns.sum(axis=(1, 2)), columns.max(axis=(1, 2))]
        return np.stack(found, axis=1)

    return p_values(every, sizes, statistic, strata=strata)


def _standardised(rows: Float[np.ndarray, "N p"]) -> Float[np.ndarray, "N p"]:
    """The rows about their mean in deviations, in their own memory."""
    rows -= rows.mean(axis=0)
    unit = np.sqrt(np.einsum("np,np->p", rows, rows) / len(rows))
    rows /= np.where(unit > 0, unit, 1.0)
    return rows


def _gains(squares: Stack, compared: Contrasts) -> Stack:
    """log(1 + z²), in which no column counts for all."""
    return np.log1p(squares / compared.variances[:, None])


def _largest(rows: Float[np.ndarray, "N p"]) -> Float[np.ndarray, "p r"]:
    """The columns of a narrow table; the largest directions of a wide one."""
    n, p = rows.shape
    if p <= NARROW:
        return np.eye(p)
    return principal_directions(rows, n - 1).first(min(NARROW, n // 4)).basis


def _drawn_to_columns(
    covariances: Float[np.ndarray, "t p p"], n: int
) -> tuple[Float[np.ndarray, "t p"], Float[np.ndarray, "t p p"]]:
    """Variances and directions, with the less correlation the more columns there are per row."""
    p = covariances.shape[-1]
    share = p / (p + n)
    values, vectors = np.linalg.eigh(covariances * np.where(np.eye(p), 1.0, 1 - share))
    return np.maximum(values, 1e-9), vectors
