"""Gains: columns whose spread follows their mean, as prices, populations and amplitudes do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.effects import Effects
from elsewhere.fitting.moments.errors import Errors, errors_of, mixed
from elsewhere.fitting.moments.parts import Rows, parts_of, together
from elsewhere.fitting.moments.populations import Shrunken, shrink_along
from elsewhere.fitting.moments.shrinkage import Values
from elsewhere.fitting.moments.statistics import Statistics

SMALLEST = 1e-300
Columns = Float[np.ndarray, " p"]


@dataclass(frozen=True)
class Means:
    """t_d = log(E_d x − zero), by which a domain that multiplies a column stretches it, too.

    Attributes:
        logs: t; 0 for a column without a zero, or with a mean below it.
        influences: of every row on t.
    """

    logs: Float[np.ndarray, "D p"]
    influences: Sequence[Rows]


def with_gains(scales: Effects, seen: Statistics, zeros: Columns, most: float) -> Effects:
    """E[L | rows], L = t + e under a gain and L = e without, averaged by the evidence for either.

    Another unit, another price level or another amplifier multiplies a column: its log deviation
    moves as the log of its mean does, and rows tell more of means than of deviations. e is shrunken
    in both cases; before the data are seen, each is as likely as the other.

    Args:
        scales: L without gains.
        seen: the rows of every domain.
        zeros: where 0 lies in each column, NaN for one without.
        most: the largest variance of e that is considered.
    """
    means = as_far_as_known(log_means(seen, zeros), seen, most)
    if not means.logs.any():
        return scales
    of_logs = seen.deviation_influences
    apart = parts_of(np.subtract, of_logs, means.influences)
    logs = seen.log_deviations
    plain, gained = (
        _shrunken(seen.counts_for_deviations, seen.freedom, estimates, influences, most)
        for estimates, influences in ((logs, of_logs), (logs - means.logs, apart))
    )
    share = float(1 / (1 + np.exp(np.clip(_evidence(plain) - _evidence(gained), -700, 700))))
    without = scales.weights @ scales.means, scales.variances
    found = mixed(share, _stretched(gained, logs - means.logs, means, apart), without)
    return replace(scales, means=scales.weights.T @ found[0], variances=found[1])


def log_means(seen: Statistics, zeros: Columns) -> Means:
    """t of every domain and column."""
    above = seen.means - np.where(np.isfinite(zeros), zeros, np.inf)
    known = np.isfinite(zeros) & (above > 0).all(axis=0)
    above = np.where(known, above, 1.0)
    influences = parts_of(lambda r, mean: np.divide(r, mean, out=r) * known, seen.residuals, above)
    return Means(np.log(above), influences)


def as_far_as_known(means: Means, seen: Statistics, most: float) -> Means:
    """f t, f the share of t that shrinkage leaves of a column: few skewed rows tell little."""
    found = _shrunken(seen.counts, seen.freedom, means.logs, means.influences, most)
    left = np.abs(found.along.means @ found.errors.codes.basis.T).sum(axis=0)
    all_of_it = np.abs(found.errors.compared.of(means.logs)).sum(axis=0)
    share = np.minimum(left / np.maximum(all_of_it, SMALLEST), 1.0)
    return Means(share * means.logs, parts_of(lambda rows: share * rows, means.influences))


@dataclass(frozen=True)
class _Found:
    """Effects along directions, with the directions."""

    errors: Errors
    variances: Values
    along: Shrunken


def _shrunken(
    counts: Float[np.ndarray, " D"],
    freedom: int,
    estimates: Values,
    influences: Sequence[Rows],
    most: float,
) -> _Found:
    errors = errors_of(together(influences), counts, freedom)
    (b, v), *_ = errors.parts(estimates)
    return _Found(errors, v, shrink_along(b, v, errors.along, most, one_size=errors.few))


def _evidence(found: _Found) -> float:
    """log p(b), up to a constant that no hypothesis changes."""
    return found.along.evidence - 0.5 * float(np.log(np.maximum(found.variances, SMALLEST)).sum())


def _stretched(
    found: _Found, apart: Values, means: Means, influences: Sequence[Rows]
) -> tuple[Values, Values]:
    """Moments of L = t + e, with t from the means and, where these tell little, the deviations.

    What b − t shows beyond e is error of either: of t the share that has the least variance.
    """
    V, compared = found.errors.codes.basis, found.errors.compared
    e, variances = found.along.means @ V.T, found.along.variances @ (V**2).T
    pairs = zip(means.influences, influences, strict=True)
    both = np.sum([(t * rest).sum(axis=0) for t, rest in pairs], axis=0)
    own = np.sum([(rest**2).sum(axis=0) for rest in influences], axis=0)
    share = np.clip(-both / np.maximum(own, SMALLEST), 0.0, 1.0)
    return compared.of(means.logs) + e + share * (compared.of(apart) - e), variances
