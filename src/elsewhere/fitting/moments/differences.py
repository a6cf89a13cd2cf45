"""Do the domains differ at all? By their means, their spreads or how columns go together."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.directions import told_directions
from elsewhere.fitting.moments.effects import LEVEL_OF_OFFSETS, means_by_chance, of_means
from elsewhere.fitting.moments.parts import Parts, parts_of, together
from elsewhere.fitting.moments.permutation import LEVEL, product_by_chance
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.moments.turns import of_turns, turns_by_chance

LEVEL_OF_DIFFERENCE = 0.02


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
    """Whether means, spreads or covariances differ by more than chance explains.

    Each alone at LEVEL, or all together at LEVEL_OF_DIFFERENCE: domains that differ in earnest
    mostly differ in several ways. Where a test knows more than the rows, each counts alone, and
    offsets at the higher level.

    Args:
        seen: the rows of every domain.
        known: the p-values that are known.
    """
    if known != Chances():
        offsets = means_by_chance(seen.tables) if known.offsets is None else known.offsets
        spreads = means_by_chance(seen.distances) if known.scales is None else known.scales
        turns = turns_by_chance(_codes(seen)) if known.turns is None else known.turns
        return offsets <= LEVEL_OF_OFFSETS or min(spreads, turns) <= LEVEL
    tests = (
        lambda: of_means(seen.tables),
        lambda: of_means(seen.distances),
        lambda: of_turns(_codes(seen)),
    )
    found: list[Float[np.ndarray, " _"]] = []
    for test in tests:
        found.append(test())
        if found[-1][0] <= LEVEL:
            return True
    return product_by_chance(found) <= LEVEL_OF_DIFFERENCE


def _codes(seen: Statistics) -> Parts:
    unit = np.sqrt(seen.pooled)
    return coded(parts_of(lambda r: r / unit, seen.residuals), seen.freedom)


def coded(rows: Sequence[Float[np.ndarray, "_ p"]], freedom: int) -> Parts:
    """The rows along all directions of a narrow table, along those that are told of a wide one."""
    basis = told_directions(together(rows), freedom).basis
    return parts_of(lambda table: table @ basis, rows)
