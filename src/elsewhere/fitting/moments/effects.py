"""Effects of domains on many columns at once: estimated with correlated errors, then shrunken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.contrasts import Contrasts, contrasts
from elsewhere.fitting.moments.directions import Directions, principal_directions
from elsewhere.fitting.moments.permutation import LEVEL, p_value
from elsewhere.fitting.moments.populations import shrink_along
from elsewhere.fitting.moments.shrinkage import MOST, Values, shrink_columns

NARROW = 40  # columns up to which every direction is looked at on its own
FEW_ROWS, LEVEL_OF_FEW = 5, 0.05  # rows, and the level where no second domain has as many
LEAST_OWN = 0.02  # of a column's variance that no direction explains, at least
NEGLIGIBLE = 1e-12  # the variance of the influences on a column that never varies within domains
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
        """Whether chance is ruled out, so that the effects are used."""
        return bool(self.means.any())


def judged(
    compared: Contrasts, means: Values, variances: Values, p: float, level: float = LEVEL
) -> Effects:
    """The effects if chance is ruled out; else none, with E[b²] for their variances."""
    found = compared.back(means)
    if p <= level:
        return Effects(found, variances, compared.weights, p)
    return Effects(0 * found, variances + means**2, compared.weights, p)


def level_for(counts: Float[np.ndarray, " D"]) -> float:
    """LEVEL; LEVEL_OF_FEW where all domains but one have fewer than FEW_ROWS rows.

    Such rows can show no more, and a shrunken offset errs by less than none would.
    """
    return LEVEL_OF_FEW if np.sort(counts)[-2] < FEW_ROWS else LEVEL


@dataclass(frozen=True)
class Errors:
    """How estimates of all columns err together: along codes, and each column on its own.

    Attributes:
        compared: contrasts of the domains.
        codes: directions along which the rows' influences vary.
        along: the variance of the influences along each.
        own: their variance outside the codes, by column; None for a narrow table, which has none.
    """

    compared: Contrasts
    codes: Directions
    along: Float[np.ndarray, " r"]
    own: Float[np.ndarray, " p"] | None

    def parts(self, estimates: Estimates) -> list[tuple[Values, Values]]:
        """Contrasts with their sampling variances, along codes and for what they leave out."""
        b, V = self.compared.of(estimates), self.codes.basis
        found = [(b @ V, np.multiply.outer(self.compared.variances, self.along))]
        if self.own is not None:
            rest = b - (b @ V) @ V.T
            found.append((rest, np.multiply.outer(self.compared.variances, self.own)))
        return found

    def shrunken(self, estimates: Estimates, most: float = MOST) -> tuple[Values, Values]:
        """Posterior means and variances of the contrasts, by column."""
        (b, v), *left = self.parts(estimates)
        found, V = shrink_along(b, v, self.along, most), self.codes.basis
        means, variances = found[0] @ V.T, found[1] @ (V**2).T
        for rest, error in left:
            more = shrink_columns(rest, error, most)
            means, variances = means + more[0], variances + more[1]
        return means, variances


def shrunken_effects(
    estimates: Estimates,
    influences: Sequence[Float[np.ndarray, "_ p"]],
    counts: Float[np.ndarray, " D"],
    p: float,
    most: float = MOST,
    level: float = LEVEL,
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
    """
    freedom = max(sum(map(len, influences)) - len(influences), 1)
    errors = errors_of(np.concatenate(influences), counts, freedom)
    return judged(errors.compared, *errors.shrunken(estimates, most), p, level)


def effects_by_domain(
    estimates: Estimates,
    influences: Sequence[Float[np.ndarray, "_ p"]],
    counts: Float[np.ndarray, " D"],
    compared: Sequence[Float[np.ndarray, "_ p"]],
    most: float = MOST,
    level: float = LEVEL,
    scales: Estimates | None = None,
) -> Effects:
    """`shrunken_effects`, with the p-value of the means of the rows `compared`.

    The scales that were taken out of all three do not matter where nothing adds up.
    """
    p = means_by_chance(compared)
    return shrunken_effects(estimates, influences, counts, p, most, level)


def means_by_chance(
    rows: Sequence[Float[np.ndarray, "_ p"]], compared: Contrasts | None = None
) -> float:
    """The p-value of the domains' means, by rows that change places.

    Of a narrow table along the directions within domains, which each exchange has anew; of a wide
    one along its largest directions, whatever the domain, over all columns, and in the column that
    differs most: three times the smallest. All differences count, unless some are named.
    """
    sizes = np.array([len(table) for table in rows], float)
    compared = contrasts(sizes) if compared is None else compared
    every = np.concatenate(rows)
    every = every - every.mean(axis=0)
    unit = np.sqrt((every**2).mean(axis=0))
    every = every / np.where(unit > 0, unit, 1.0)
    if every.shape[1] <= NARROW:
        return _along_within(every, sizes, compared)
    largest = principal_directions(every, len(every) - 1).first(min(NARROW, len(every) // 4))
    along = _along_within(every @ largest.basis, sizes, compared)
    by_column = [_by_column(every, sizes, compared, over) for over in (np.sum, np.max)]
    return min(1.0, 3 * min(along, *by_column))


def _along_within(
    rows: Float[np.ndarray, "N r"], sizes: Float[np.ndarray, " D"], compared: Contrasts
) -> float:
    total = rows.T @ rows

    def statistic(means: Stack) -> Float[np.ndarray, " t"]:
        between = (np.swapaxes(means, 1, 2) * sizes) @ means
        within = (total - between) / max(len(rows) - len(sizes), 1)
        along, V = _drawn_to_columns(within, len(rows))
        errors = compared.variances[:, None] * along[:, None]
        return np.log1p((compared.reads @ means @ V) ** 2 / errors).sum(axis=(1, 2))

    return p_value(rows, sizes, statistic)


def _by_column(
    rows: Float[np.ndarray, "N p"],
    sizes: Float[np.ndarray, " D"],
    compared: Contrasts,
    over: Callable[..., Float[np.ndarray, " t"]],
) -> float:
    def statistic(means: Stack) -> Float[np.ndarray, " t"]:
        found = (compared.reads @ means) ** 2 / compared.variances[:, None]
        return over(np.log1p(found), axis=(1, 2))

    return p_value(rows, sizes, statistic)


def _drawn_to_columns(
    covariances: Float[np.ndarray, "t p p"], n: int
) -> tuple[Float[np.ndarray, "t p"], Float[np.ndarray, "t p p"]]:
    """Variances and directions, with the less correlation the more columns there are per row."""
    p = covariances.shape[-1]
    share = p / (p + n)
    values, vectors = np.linalg.eigh(covariances * np.where(np.eye(p), 1.0, 1 - share))
    return np.maximum(values, 1e-9), vectors


def errors_of(
    influences: Float[np.ndarray, "N p"], counts: Float[np.ndarray, " D"], freedom: int
) -> Errors:
    """Every direction of a narrow table; of a wide one those that are more than noise."""
    compared, found = contrasts(counts), principal_directions(influences, freedom)
    if influences.shape[1] <= NARROW:
        floor = 1e-12 * found.variances.max(initial=1e-300)
        return Errors(compared, found, np.maximum(found.variances, floor), None)
    codes = found.first(int((found.signal > 0).sum()))
    total = (influences**2).sum(axis=0) / freedom
    own = np.maximum(total - codes.basis**2 @ codes.signal, LEAST_OWN * total)
    return Errors(compared, codes, codes.signal + own.mean(), np.maximum(own, NEGLIGIBLE))
