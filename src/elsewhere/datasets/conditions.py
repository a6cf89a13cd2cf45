"""`diagnosis == "control" and age < 60`: which rows a condition on columns is true for."""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

from elsewhere.datasets.table_reading import TableError, shortened

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*"|'[^']*')|(?P<quoted>`[^`]+`)|(?P<op><=|>=|==|!=|<|>)"""
    r"""|(?P<bracket>[()])|(?P<word>[^\s"'`()<>=!]+))"""
)
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
Mask = Bool[np.ndarray, " n"]


@dataclass(frozen=True)
class Comparison:
    """A column compared with a value."""

    column: str
    symbol: str
    value: str | float

    def holds(self, table: pd.DataFrame) -> Mask:
        """Which rows it is true for; as numbers where the value is one, else as text."""
        values = table[self.column]
        if isinstance(self.value, float):
            numbers = np.asarray(pd.to_numeric(values, errors="coerce"), float)
            return np.asarray(_COMPARE[self.symbol](numbers, self.value), bool)
        text = values.astype(str).to_numpy(object)
        return np.asarray([_COMPARE[self.symbol](v, self.value) for v in text], bool)


@dataclass(frozen=True)
class Condition:
    """Comparisons joined: any of several groups, in each of which all must hold."""

    groups: tuple[tuple[Comparison, ...], ...]

    @property
    def columns(self) -> list[str]:
        """The columns that it reads."""
        return list(dict.fromkeys(one.column for group in self.groups for one in group))

    def holds(self, table: pd.DataFrame) -> Mask:
        """Which rows it is true for."""
        return np.any([np.all([c.holds(table) for c in g], axis=0) for g in self.groups], axis=0)


def read_condition(text: str) -> Condition:
    """column op value, joined by `and` and `or`; `and` binds tighter. No code is run.

    Text is quoted, numbers are not; a column whose name has spaces stands in backticks.
    """
    tokens = _tokens(text)
    groups: list[list[Comparison]] = [[]]
    for start in range(0, len(tokens), 4):
        groups[-1].append(_comparison(text, tokens[start : start + 3]))
        joint = tokens[start + 3] if start + 3 < len(tokens) else None
        if joint is not None and (joint not in ("and", "or") or start + 4 >= len(tokens)):
            raise _wrong(text, joint)
        if joint == "or":
            groups.append([])
    return Condition(tuple(tuple(group) for group in groups))


def _tokens(text: str) -> list[str]:
    found, place = [], 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None or match["bracket"]:
            raise _wrong(text, text[place:].strip())
        found.append(match[0].strip())
        place = match.end()
    if not found:
        raise _wrong(text, "")
    return found


def _comparison(text: str, parts: Sequence[str]) -> Comparison:
    if len(parts) < 3 or parts[1] not in _COMPARE or parts[0][0] in "\"'":
        raise _wrong(text, " ".join(parts))
    column, symbol, value = parts
    if value[0] in "\"'":
        return Comparison(column.strip("`"), symbol, value[1:-1])
    try:
        return Comparison(column.strip("`"), symbol, float(value))
    except ValueError:
        raise _wrong(text, value) from None


def _wrong(text: str, part: str) -> TableError:
    text, part = shortened(text), shortened(part)
    return TableError(
        'a condition must be like diagnosis == "control" and age < 60 (==, !=, <, <=, >, >=; '
        f"and, or; text in quotes; names with spaces in `backticks`); got {text!r}, at {part!r}."
    )
