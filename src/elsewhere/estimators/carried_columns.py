"""Columns of a DataFrame that hold no amounts: aside in a fit, and back in every answer."""

import inspect
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar

from elsewhere.estimators.columns import Kind

Carried = Mapping[Hashable, str]  # the reason, by column
NONE: Carried = MappingProxyType({})
KEPT, SAYS_DOMAIN, UNASKED = "kept as a covariate", "says the domain", "not asked for"
MOST_LISTED = 12
Method = TypeVar("Method", bound=Callable[..., Any])


def carried_columns(
    X: Kind, asked: Any, named: Collection[Hashable], covariates: Any, domains: Any
) -> Carried:
    """Why each column that is not modelled is carried; none of an array, whose numbers are asked.

    Args:
        X: the table.
        asked: "auto" for amounts, "all" for every column, or the names of those to model.
        named: columns that links or sums name, which are modelled whatever they hold.
        covariates: what is kept; columns of the same names stay as they are.
        domains: labels; a column of that name says the domain.
    """
    _check_asked(X, asked)
    if not hasattr(X, "iloc") or not X.columns.is_unique or asked == "all":
        return {}
    found = dict.fromkeys(_names(covariates), KEPT) | dict.fromkeys(_names(domains), SAYS_DOMAIN)
    if isinstance(asked, str):
        from elsewhere.datasets.frame_columns import why_no_amounts

        others = [name for name in X.columns if name not in found and name not in named]
        found |= why_no_amounts(X[others])
    else:
        found |= {name: UNASKED for name in X.columns if name not in (*asked, *found)}
    carried = {name: found[name] for name in X.columns if name in found}
    if len(carried) == X.shape[1] > 0:
        raise ValueError(f"X must have a column of amounts; none is one: {carried}.")
    return carried


def _check_asked(X: Kind, asked: Any) -> None:
    if isinstance(asked, str):
        if asked not in ("auto", "all"):
            raise ValueError(f"columns must be 'auto', 'all' or a list of names; got {asked!r}.")
        return
    if not isinstance(asked, Sequence) and not hasattr(asked, "tolist"):
        raise ValueError(f"columns must be 'auto', 'all' or a list of names; got {asked!r}.")
    if not hasattr(X, "iloc"):
        raise ValueError("columns names those of a DataFrame; got an array. Choose them there.")
    if unknown := [name for name in asked if name not in X.columns]:
        raise ValueError(f"columns must be some of X's, {list(X.columns)}; got {unknown}.")


def _names(given: Any) -> list[Hashable]:
    """What a table, a column or a mapping calls its columns."""
    if isinstance(given, Mapping):
        return [*given]
    if hasattr(given, "columns"):
        return [*given.columns]
    name = getattr(given, "name", None)
    return [] if name is None else [name]


def without(X: Kind, carried: Carried) -> Kind:
    """The table without these columns; itself where it has none of them."""
    if not carried or not hasattr(X, "iloc"):
        return X
    stay = [name not in carried for name in X.columns]
    return X if all(stay) else X.loc[:, stay]


def columns_beside(X: Kind, carried: Carried) -> Kind | None:
    """The columns that are neither modelled, nor kept, nor say the domain; None if there is none.

    They may explain what domains differ by.
    """
    if not hasattr(X, "iloc"):
        return None
    known = (KEPT, SAYS_DOMAIN)
    found = [name for name in X.columns if name in carried and carried[name] not in known]
    return X[found] if found else None


def besides_carried(method: Method) -> Method:
    """A method of (X, …) that sees only the columns of the fit; answers have the others again."""
    first = list(inspect.signature(method).parameters)[1]

    @wraps(method)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        table = given[0] if given else named.get(first)
        own = without(table, self.carried_)
        if own is table:
            return method(self, *given, **named)
        if given:
            return put_back(table, method(self, own, *given[1:], **named))
        return put_back(table, method(self, **(named | {first: own})))

    return asked  # type: ignore[return-value]


def put_back(table: Kind, answer: Any) -> Any:
    """The answer, alone, in a tuple or in a dictionary, in the place of its columns in `table`."""
    if isinstance(answer, tuple):
        return tuple(put_back(table, one) for one in answer)
    if isinstance(answer, dict):
        return {name: put_back(table, one) for name, one in answer.items()}
    if not hasattr(answer, "iloc"):
        return answer
    found = table.copy()
    for name in answer.columns:
        found.isetitem(found.columns.get_loc(name), answer[name])
    return found


def carried_notes(carried: Carried) -> list[str]:
    """One sentence that lists them, with the reasons."""
    if not carried:
        return []
    listed = [f"{name!r} ({why})" for name, why in carried.items()]
    more = [f"and {len(listed) - MOST_LISTED} more"] if len(listed) > MOST_LISTED else []
    return [
        f"columns carried through unchanged: {', '.join(listed[:MOST_LISTED] + more)}. To model "
        "one, name it in links; to have its effects kept, in covariates."
    ]
