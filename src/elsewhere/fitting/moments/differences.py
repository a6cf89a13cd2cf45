"""Do the domains differ at all? By their means, their spreads or how columns go together."""

import numpy as np

from elsewhere.fitting.moments.directions import principal_directions
from elsewhere.fitting.moments.effects import LEVEL_OF_OFFSETS, means_by_chance
from elsewhere.fitting.moments.parts import parts_of, together
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.moments.turns import turns_by_chance


def domains_differ(seen: Statistics, p_offsets: float | None = None) -> bool:
    """Whether chance explains the means, the spreads or the covariances in no more than 1 of 100.

    Args:
        seen: the rows of every domain.
        p_offsets: the p-value of the means, where it is known.
    """
    p = means_by_chance(seen.tables) if p_offsets is None else p_offsets
    return (
        p <= LEVEL_OF_OFFSETS
        or means_by_chance(seen.distances) <= LEVEL
        or _covariances_by_chance(seen) <= LEVEL
    )


def _covariances_by_chance(seen: Statistics) -> float:
    unit = np.sqrt(seen.pooled)
    rows = parts_of(lambda r: r / unit, seen.residuals)
    codes = principal_directions(together(rows), seen.freedom)
    return turns_by_chance(parts_of(lambda table: table @ codes.basis, rows))
