"""Rules for what a header may hold: each is asked before anything is built from a value."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import Any

Rule = Callable[[Any, str], None]  # (value, where it stands); raises ValueError
MANY = 1_000_000  # entries of a list
LONGEST = 100_000  # characters of a text
LARGEST = 1.797e308  # of a number: JSON's 1e999 would be infinite
_SHOWN = 60  # characters of a wrong value
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?([+-]\d\d:\d\d(:\d\d)?)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Optional:
    """A rule for an entry that may be left out."""

    def __init__(self, rule: Rule):
        self.rule = rule


def wrong(where: str, rule: str, value: Any) -> ValueError:
    """The error that says what must stand there, and what stands there instead."""
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return ValueError(f"{where} must be {rule}; got {shown}.")


def whole(low: int, high: int) -> Rule:
    """A whole number; true and false are none."""

    def check(value: Any, where: str) -> None:
        if type(value) is not int or not low <= value <= high:
            raise wrong(where, f"a whole number in {low}..{high}", value)

    return check


def number(low: float = -LARGEST, high: float = LARGEST) -> Rule:
    """A finite number within its bounds."""

    def check(value: Any, where: str) -> None:
        if type(value) not in (int, float) or not low <= value <= high:
            raise wrong(where, f"a number in {low:g}..{high:g}", value)

    return check


def truth(value: Any, where: str) -> None:
    """True or false, and no number."""
    if type(value) is not bool:
        raise wrong(where, "true or false", value)


def text(value: Any, where: str) -> None:
    """Text that is not endless."""
    if not isinstance(value, str) or len(value) > LONGEST:
        raise wrong(where, f"text of at most {LONGEST} characters", value)


def one_of(*allowed: str) -> Rule:
    """One of these words."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, str) or value not in allowed:
            raise wrong(where, f"one of {allowed}", value)

    return check


def nullable(rule: Rule) -> Rule:
    """Null, or what the rule says."""
    return lambda value, where: None if value is None else rule(value, where)


def listed(rule: Rule, at_least: int = 0, at_most: int = MANY) -> Rule:
    """A list, each entry by the rule."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or not at_least <= len(value) <= at_most:
            raise wrong(where, f"a list of {at_least}..{at_most} entries", value)
        for i, entry in enumerate(value):
            rule(entry, f"{where}[{i}]")

    return check


def fields(rules: Mapping[str, Rule | Optional], *, exact: bool = False) -> Rule:
    """An object with these entries; others are ignored, or refused if it must be exact."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise wrong(where, f"an object with {sorted(rules)}", value)
        if exact and (unknown := sorted({*value} - {*rules})):
            raise wrong(where, f"an object with no other entries than {sorted(rules)}", unknown)
        for name, rule in rules.items():
            optional = isinstance(rule, Optional)
            if name in value:
                (rule.rule if optional else rule)(value[name], f"{where}.{name}")  # type: ignore[operator,union-attr]
            elif not optional:
                raise wrong(where, f"an object with the entry {name!r}", sorted(value))

    return check


def plain(value: Any, where: str) -> None:
    """A value that JSON holds in itself: text, a finite number, a truth value or null."""
    if isinstance(value, str):
        text(value, where)
    elif not (value is None or isinstance(value, bool | int)) and not _finite(value):
        raise wrong(where, "text, a number, true, false or null", value)


def like(default: Any) -> Rule:
    """The kind of value that `default` is: what an option of an engine may be."""
    if is_dataclass(default):
        rules = {f.name: like(getattr(default, f.name)) for f in fields_of(default)}
        return fields(rules)
    if isinstance(default, bool):
        return truth
    if isinstance(default, int | float):
        return number(-1e12, 1e12)
    if isinstance(default, str):
        return text
    if isinstance(default, tuple):
        return listed(plain, len(default), len(default))
    return _plain_or_mapping


def label(value: Any, where: str) -> None:
    """The name of a domain or a column, as `labels.to_json` writes it; never null."""
    if isinstance(value, dict):
        _tagged(value, where)
    elif value is None:
        raise wrong(where, "a label", value)
    else:
        plain(value, where)


def unique(values: Sequence[Any], where: str) -> None:
    """No two the same; 1, 1.0 and true are the same to Python."""
    if len({*values}) < len(values):
        raise wrong(where, "labels that all differ", list(values))


def _tagged(value: Mapping[str, Any], where: str) -> None:
    if len(value) != 1:
        raise wrong(where, "a label", value)
    ((kind, content),) = value.items()
    if kind == "tuple":
        listed(label_or_null, 0, 1000)(content, where)
        return
    form = {"timestamp": _MOMENT, "date": _DAY}.get(kind)
    if form is None or not isinstance(content, str) or not form.fullmatch(content):
        raise wrong(where, "a label: text, a number, a date, or a tuple of these", value)


def label_or_null(value: Any, where: str) -> None:
    """A label, or null: an entry of a tuple, or the name of the column of domains."""
    nullable(label)(value, where)


def _plain_or_mapping(value: Any, where: str) -> None:
    if not isinstance(value, dict):
        plain(value, where)
        return
    for name, inner in value.items():
        _plain_or_mapping(inner, f"{where}.{name}")


def _finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)
