"""A verdict in plain words, and any finding as plain data."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np

Level = Literal["good", "caution", "bad", "unknown"]
_WORST_LAST: tuple[Level, ...] = ("unknown", "good", "caution", "bad")


@dataclass(frozen=True)
class Verdict:
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
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


class AbstractTrust(ABC):
    """What several verdicts come to; a subclass is a dataclass with all that they rest on."""

    @property
    @abstractmethod
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of every check that was made, by name."""

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
        return plain(whole) | plain(self)


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
