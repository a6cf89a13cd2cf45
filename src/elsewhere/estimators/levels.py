"""Ordered levels: from text, categories, booleans or numbers to 0, 1, 2, … and back."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.estimators.columns import Kind, where
from elsewhere.estimators.links import LEVELS

Levels = dict[Hashable, tuple[Any, ...]]


def is_levels(spec: Any) -> bool:
    """Whether an entry of `links` asks for levels: "levels", or ("levels", first, second, …)."""
    return spec == LEVELS or (isinstance(spec, tuple | list) and spec[:1] in [(LEVELS,), [LEVELS]])


def asked_levels(X: Kind, links: str | Mapping[Any, Any]) -> Levels:
    """The levels of each column that is asked to have some, lowest first.

    Given in order, or those of an ordered category; numbers and booleans in their own order. Text
    of two values needs no order, because either is the mirror image of the other.
    """
    if not isinstance(links, Mapping):
        return {}
    names = list(X.columns) if hasattr(X, "iloc") else list(range(np.shape(X)[1]))
    asked = {name: spec for name, spec in links.items() if is_levels(spec) and name in names}
    return {name: _order(name, _column(X, names.index(name)), spec) for name, spec in asked.items()}


def encoded(X: Kind, levels: Levels) -> Kind:
    """X with the number of its level, from 0, in place of each; NaN where it is missing."""
    if not levels:
        return X
    named = hasattr(X, "iloc")
    answer: Any = X.copy() if named else np.array(X, float)
    for name, values in levels.items():
        if named and name not in X.columns:
            continue  # scikit-learn names what is missing
        j = list(X.columns).index(name) if named else int(name)  # type: ignore[call-overload]
        numbers = _numbers(X, j, values)
        if named:
            answer.isetitem(j, numbers)
        else:
            answer[:, j] = numbers
    return answer


def decoded(codes: np.ndarray, values: Sequence[Any]) -> np.ndarray:
    """The levels of these numbers."""
    plain = np.array(values)
    if plain.dtype.kind not in "iufb":
        plain = np.empty(len(values), object)
        plain[:] = list(values)
    return plain[codes.astype(int)]


def level_names(values: Sequence[Any]) -> tuple[str, ...]:
    """What levels are called; none for numbers, which say it themselves."""
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    return () if numbers else tuple(map(str, values))


def _column(X: Kind, j: int) -> Any:
    return X.iloc[:, j] if hasattr(X, "iloc") else np.asarray(X)[:, j]


def _order(name: Hashable, column: Any, spec: Any) -> tuple[Any, ...]:
    seen = _present(column)
    category = getattr(getattr(column, "dtype", None), "categories", None)
    if not isinstance(spec, str):
        order = tuple(spec[1:])
    elif category is not None and column.dtype.ordered:
        order = tuple(category.tolist())
    elif all(isinstance(v, bool | int | float) for v in seen) or len(seen) == 2:
        order = tuple(sorted(seen))
    else:
        raise ValueError(
            f"links[{name!r}] is 'levels', but nothing says their order; got "
            f"{sorted(map(str, seen))[:6]}. Name them from the lowest: ('levels', 'low', 'high')."
        )
    if unknown := [v for v in seen if v not in order]:
        raise ValueError(f"links[{name!r}] must name all levels of the column; got {unknown[:6]}.")
    if len(set(order)) < max(len(order), 2):
        raise ValueError(f"links[{name!r}] must name at least 2 different levels; got {order}.")
    return order


def _present(column: Any) -> list[Any]:
    """The different values, those that are missing left out."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return list(dict.fromkeys(v for v in values if not _missing(v)))


def _missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _numbers(X: Kind, j: int, values: Sequence[Any]) -> np.ndarray:
    number = {value: float(i) for i, value in enumerate(values)}
    column = _column(X, j).tolist()
    found = [np.nan if _missing(v) else number.get(v, -1.0) for v in column]
    if -1.0 in found:
        row = found.index(-1.0)
        raise ValueError(
            f"X must hold the levels of the fit; {where(X, row, j)} holds {column[row]!r}, but its "
            f"levels are {list(values)}."
        )
    return np.array(found)
