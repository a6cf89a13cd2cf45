"""Rows seen in two domains, as the user gives them and in link space."""

from collections.abc import Callable, Hashable
from typing import Any

from elsewhere.estimators.link_space import Rows
from elsewhere.fitting import Pairs

FORMS = "(source, target, X_source, X_target), with covariates as a fifth where any are kept"


def linked_pairs(pairs: Any, forward: Callable[[Any, Hashable, Any], Rows]) -> list[Pairs]:
    """Pairs in link space, whatever form they were given in.

    Args:
        pairs: `Pairs`, a tuple (source, target, X_source, X_target[, covariates]), or a list.
        forward: from rows, their domain and their covariates to what the models move.
    """
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


def check_covariates_of(pairs: Any, covariates: Any) -> None:
    """Raise where covariates are kept and pairs have none, or the other way round."""
    for pair in as_pairs(pairs):
        if covariates is not None and pair.covariates is None:
            raise ValueError(
                f"pairs must have covariates, because the fit keeps some: give tuples {FORMS}."
            )
        if covariates is None and pair.covariates is not None:
            raise ValueError("pairs have covariates, but the fit keeps none: leave them out.")


def _as_pair(pair: Any) -> Pairs:
    if isinstance(pair, Pairs):
        return pair
    if not isinstance(pair, tuple) or len(pair) not in (4, 5):
        raise ValueError(
            f"pairs must be Pairs or tuples {FORMS}, one or a list; got {type(pair).__name__}."
        )
    return Pairs(*pair)


def _linked(pair: Pairs, forward: Callable[[Any, Hashable, Any], Rows]) -> Pairs:
    ends = ((pair.x_source, pair.source), (pair.x_target, pair.target))
    before, after = (forward(rows, d, pair.covariates) for rows, d in ends)
    return Pairs(pair.source, pair.target, before, after)
