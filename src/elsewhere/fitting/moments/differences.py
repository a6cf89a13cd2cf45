"""Do the domains differ at all? By their means, their spreads or how columns go together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.directions import told_directions
from elsewhere.fitting.moments.effects import LEVEL_OF_OFFSETS, means_by_chance
from elsewhere.fitting.moments.parts import Parts, parts_of, together
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.moments.turns import turns_by_chance


class Chances(NamedTuple):
    """p-values of differences where a test knows more than the rows, as one given covariates.

    Attributes:
        offsets: of offsets that are to be used.
        scales: of the domains' spreads.
        turns: of how columns vary together.
    """

    offsets: float | None = None
    scales: float | None = None
    turns: float | None = None


def domains_differ(seen: Statistics, known: Chances) -> bool:
    """Whether means, spreads or covariances differ by more than chance explains at their level.

    Args:
        seen: the rows of every domain.
        known: the p-values that are known.
    """
    p = means_by_chance(seen.tables) if known.offsets is None else known.offsets
    if p <= LEVEL_OF_OFFSETS:
        return True
    spreads = means_by_chance(seen.distances) if known.scales is None else known.scales
    return spreads <= LEVEL or _covariances_by_chance(seen, known) <= LEVEL


def _covariances_by_chance(seen: Statistics, known: Chances) -> float:
    if known.turns is not None:
        return known.turns
    unit = np.sqrt(seen.pooled)
    return turns_by_chance(coded(parts_of(lambda r: r / unit, seen.residuals), seen.freedom))


def coded(rows: Sequence[Float[np.ndarray, "_ p"]], freedom: int) -> Parts:
    """The rows along all directions of a narrow table, along those that are told of a wide one."""
    basis = told_directions(together(rows), freedom).basis
    return parts_of(lambda table: table @ basis, rows)
