"""Rows seen in two domains, as the user gives them and in link space."""

from collections.abc import Callable, Hashable
from typing import Any

from elsewhere.estimators.link_space import Rows
from elsewhere.fitting import Pairs


def linked_pairs(pairs: Any, forward: Callable[[Any, Hashable], Rows]) -> list[Pairs]:
    """Pairs, a tuple (source, target, X_source, X_target), or a list of these, in link space."""
    return [_linked(pair, forward) for pair in as_pairs(pairs)]


def as_pairs(pairs: Any) -> list[Pairs]:
    """Pairs, a tuple (source, target, X_source, X_target), or a list of these, as a list."""
    if pairs is None:
        return []
    given = [pairs] if isinstance(pairs, Pairs | tuple) else pairs
    return [_as_pair(pair) for pair in given]


def rows_of_pairs(pairs: Any) -> list[Any]:
    """The tables of all pairs, one for each end."""
    return [rows for pair in as_pairs(pairs) for rows in (pair.x_source, pair.x_target)]


def _as_pair(pair: Any) -> Pairs:
    if isinstance(pair, Pairs):
        return pair
    if not isinstance(pair, tuple) or len(pair) != 4:
        raise ValueError(
            "pairs must be Pairs or tuples (source, target, X_source, X_target), one or a list; "
            f"got {type(pair).__name__}."
        )
    return Pairs(*pair)


def _linked(pair: Pairs, forward: Callable[[Any, Hashable], Rows]) -> Pairs:
    before, after = forward(pair.x_source, pair.source), forward(pair.x_target, pair.target)
    return Pairs(pair.source, pair.target, before, after)
