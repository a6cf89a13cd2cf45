"""A verdict in plain words, and any finding as plain data."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

Level = Literal["good", "caution", "bad", "unknown"]
_WORST_LAST: tuple[Level, ...] = ("unknown", "good", "caution", "bad")
WORDS: dict[Level, str] = {
    "good": "✓ good",
    "caution": "! look here",
    "bad": "✕ in doubt",
    "unknown": "? not known",
}


@dataclass(frozen=True)
class Judgement:
    """How much a finding should worry the reader, and why.

    Attributes:
        level: how much.
        words: what was found, in a plain sentence.
        measure: the number behind it, with its scale; empty where there is none.
        remedy: what the reader can do; empty where nothing needs doing.
    """

    level: Level
    words: str
    measure: str = ""
    remedy: str = ""

    @property
    def warns(self) -> bool:
        """Whether the reader should be told first."""
        return self.level in ("caution", "bad")


def worst(levels: Iterable[Level]) -> Level:
    """The most worrying of the levels; unknown where there are none."""
    return max([*levels, "unknown"], key=severity)  # type: ignore[return-value]


def severity(level: Level) -> int:
    """0 for unknown, then the more the worse."""
    return _WORST_LAST.index(level)


def typical(levels: Mapping[Any, Level]) -> Level:
    """The worst level that a tenth of the pairs reach: with 9 pairs or fewer, the worst of all."""
    ordered = sorted(levels.values(), key=severity, reverse=True)
    return ordered[max(-(-len(ordered) // 10) - 1, 0)] if ordered else "unknown"


def few_of_many(few: int, many: int) -> bool:
    """Whether they are at most a tenth: then they are named, and the others decide."""
    return 10 * few <= many


def apart(levels: Mapping[Any, Level]) -> list[Hashable]:
    """The domains that stand out: most of their pairs warn, and most others do not."""
    warns = {pair for pair, level in levels.items() if level in ("caution", "bad")}
    domains = list(dict.fromkeys(d for pair in levels for d in pair))
    if len(domains) < 3 or len(warns) > len(levels) / 2:
        return []
    own = {d: [pair for pair in levels if d in pair] for d in domains}
    return [d for d in domains if sum(pair in warns for pair in own[d]) > len(own[d]) / 2]


def graded(value: float, caution: float, bad: float) -> Level:
    """good up to `caution`, then caution, from `bad` on bad."""
    if not np.isfinite(value):
        return "bad"
    return "bad" if value >= bad else "caution" if value > caution else "good"


def plain(value: Any) -> Any:
    """The value with nothing but dictionaries, lists, text, numbers, booleans and None in it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


class Shown(NamedTuple):
    """A table to be shown: its title, its headings and its rows."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def listed(names: Sequence[object], most: int = 4) -> str:
    """a, b, c and 7 more."""
    shown = ", ".join(str(name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown


def percent(share: float) -> str:
    """A share in words that do not round a few to none."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    shown = f"{100 * share:.1f}" if share < 0.1 else f"{100 * share:.0f}"
    return f"{shown.removesuffix('.0')} %"
