"""JSON from a stranger: bounded in length, depth, entries and digits; no key twice, no NaN."""

import json
import math
from typing import Any

LONGEST_HEADER = 16 << 20  # bytes; 20,000 columns need some 4 million
MOST_ENTRIES = 1_000_000
DEEPEST = 40
MOST_DIGITS = 19  # of a whole number: 64 bits


def parsed(line: bytes) -> Any:
    """The value, or a ValueError; what it costs is bounded before it is parsed."""
    if len(line) > LONGEST_HEADER:
        raise ValueError(f"it is longer than {LONGEST_HEADER} bytes.")
    if sum(map(line.count, (b",", b"[", b"{"))) > MOST_ENTRIES:
        raise ValueError(f"it has more than {MOST_ENTRIES} entries.")
    try:
        value = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_fraction,
            parse_constant=_constant,
        )
    except RecursionError:
        raise _too_deep() from None
    _check_depth(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("an entry stands there twice.")
    return found


def _whole(digits: str) -> int:
    if len(digits.removeprefix("-")) > MOST_DIGITS:
        raise ValueError(f"a whole number has more than {MOST_DIGITS} digits.")
    return int(digits)


def _fraction(digits: str) -> float:
    if not math.isfinite(value := float(digits)):
        raise ValueError("a number is too large.")
    return value


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number.")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {DEEPEST} deep.")


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
