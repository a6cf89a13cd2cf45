"""Which columns move, how much, for every pair of domains."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from elsewhere.trust.case import Case, Pair
from elsewhere.trust.judgement import Judgement, listed

NOTICEABLE = 0.1  # deviations


@dataclass(frozen=True)
class Move:
    """One column, moved from one domain to another.

    Attributes:
        size: root mean square of the move in within-domain deviations of link space.
        mean: the mean of the move, in the same units: the part that is the same for all rows.
        median_before: of the column in `source`, in its own units.
        median_after: the same, of the rows moved.
        error: standard error of the answers because rows were few, root mean square, in the units
            of `size`; 0 for models that do not know it.
    """

    source: Hashable
    target: Hashable
    column: str
    size: float
    mean: float
    median_before: float
    median_after: float
    error: float = 0.0


@dataclass(frozen=True)
class Moves:
    """Every column and pair, largest moves first."""

    moves: tuple[Move, ...]
    verdict: Judgement

    def by_column(self) -> dict[str, float]:
        """The largest move of each column, largest first."""
        sizes: dict[str, float] = {}
        for move in self.moves:
            sizes.setdefault(move.column, move.size)
        return sizes

    def by_pair(self) -> dict[Pair, float]:
        """The largest move of each pair, largest first."""
        sizes: dict[Pair, float] = {}
        for move in self.moves:
            sizes.setdefault((move.source, move.target), move.size)
        return sizes


def moves(case: Case) -> Moves:
    """The size and direction of every column's move, for every ordered pair."""
    found = [move for pair, change in case.moves() for move in _of_pair(case, pair, change)]
    ordered = Moves(tuple(sorted(found, key=lambda move: -move.size)), Judgement("good", ""))
    sizes = ordered.by_column()
    moving = [f"{name} ({size:.2g})" for name, size in sizes.items() if size > NOTICEABLE]
    words = (
        f"Columns that move, by their largest move in standard deviations: {listed(moving, 6)}."
        if moving
        else "No column moves by more than a tenth of a standard deviation: the domains are alike."
    )
    return Moves(ordered.moves, Judgement("good", words))


def _of_pair(case: Case, pair: Pair, change: np.ndarray) -> list[Move]:
    before = _medians(case, case.given[pair[0]])
    after, size, mean = (
        _medians(case, case.answer(pair)),
        np.sqrt((change**2).mean(axis=0)),
        change.mean(0),
    )
    error = np.sqrt(((case.uncertainty(pair) / case.unit) ** 2).mean(axis=0))
    return [
        Move(*pair, name, *(float(a[j]) for a in (size, mean, before, after, error)))
        for j, name in enumerate(case.names)
    ]


def _medians(case: Case, X: object) -> np.ndarray:
    return np.median(values_of(case, X), axis=0)


def values_of(case: Case, X: object) -> np.ndarray:
    """The modelled columns of a table, in their own units; levels with names by their place."""
    return case.estimator.space_.numbers(X)
