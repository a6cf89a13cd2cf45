"""A verdict in plain words, and any finding as plain data."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

Level = Literal["good", "caution", "bad", "unknown"]
_WORST_LAST: tuple[Level, ...] = ("unknown", "good", "caution", "bad")


@dataclass(frozen=True)
class Judgement:
    """How much a finding should worry the reader, and why."""

    level: Level
    words: str

    @property
    def warns(self) -> bool:
        """Whether the reader should be told first."""
        return self.level in ("caution", "bad")


def worst(levels: Iterable[Level]) -> Level:
    """The most worrying of the levels; unknown where there are none."""
    return max([*levels, "unknown"], key=_WORST_LAST.index)  # type: ignore[return-value]


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


class AbstractTrust(ABC):
    """What several verdicts come to; a subclass is a dataclass with all that they rest on."""

    @property
    @abstractmethod
    def verdicts(self) -> dict[str, Judgement]:
        """The verdict of every check that was made, by name."""

    @property
    @abstractmethod
    def titles(self) -> Mapping[str, str]:
        """The heading of every check, by name."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said beside the verdicts."""
        return ()

    @property
    def tables(self) -> tuple[Shown, ...]:
        """What is to be shown below the verdicts."""
        return ()

    @property
    def parts(self) -> dict[str, Any]:
        """All that the verdicts rest on, as plain data."""
        return plain(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know first, worst first."""
        found = [verdict for verdict in self.verdicts.values() if verdict.warns]
        return tuple(v.words for v in sorted(found, key=lambda v: v.level != "bad"))

    @property
    def level(self) -> Level:
        """The worst of all verdicts."""
        return worst(verdict.level for verdict in self.verdicts.values())

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that JSON can hold."""
        whole = {"level": self.level, "warnings": self.warnings, "verdicts": self.verdicts}
        return plain(whole) | self.parts


def listed(names: Sequence[object], most: int = 4) -> str:
    """a, b, c and 7 more."""
    shown = ", ".join(str(name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown


def percent(share: float) -> str:
    """A share in words that do not round a few to none."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"
