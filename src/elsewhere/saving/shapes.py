"""Rules for arrays: shapes by the names of their axes, types, and bounds of their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

LARGEST = 1e15  # of a number in an array: models live in units of order one
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Axes:
    """What an array must be like.

    Attributes:
        names: of its axes, as "p r"; axes of one name have one length within a part.
        low: the least that it may hold.
        high: the most.
    """

    names: str
    low: float = -LARGEST
    high: float = LARGEST


def check_arrays(
    arrays: Sequence[np.ndarray], rules: Mapping[str, Axes], known: Mapping[str, int] | None = None
) -> dict[str, int]:
    """The length of every axis, if all arrays are as the rules say; else a ValueError."""
    if len(arrays) != len(rules):
        raise ValueError(f"arrays must be {list(rules)}; got {len(arrays)} arrays.")
    lengths = dict(known or {})
    for array, (name, rule) in zip(arrays, rules.items(), strict=True):
        _check(array, name, rule, lengths)
    return lengths


def check_values(
    array: np.ndarray, name: str, low: float = -LARGEST, high: float = LARGEST
) -> None:
    """Raise unless the array holds finite numbers within the bounds."""
    if array.dtype.kind != "f":
        raise ValueError(f"{name} must hold floating numbers; got {array.dtype}.")
    if array.size and not (low <= array.min() and array.max() <= high):  # False for NaN too
        raise ValueError(
            f"{name} must hold finite numbers in {low:g}..{high:g}; got {array.min():g}.."
            f"{array.max():g}."
        )


def _check(array: np.ndarray, name: str, rule: Axes, lengths: dict[str, int]) -> None:
    axes = rule.names.split()
    if array.ndim != len(axes):
        raise ValueError(f"{name} must have the axes ({rule.names}); got shape {array.shape}.")
    for axis, length in zip(axes, array.shape, strict=True):
        if lengths.setdefault(axis, length) != length:
            raise ValueError(
                f"{name} must have the axes ({rule.names}) with {axis} = {lengths[axis]}; got "
                f"shape {array.shape}."
            )
    check_values(array, name, rule.low, rule.high)
