"""A codec for each class: a model as a tree of named parts with its arrays apart, and back.

Only registered classes are written or read, so that a file can build nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Writer:
    """What `to_parts` writes with: parts of parts, and arrays by their place in the file."""

    arrays: list[np.ndarray] = field(default_factory=list)

    def part(self, value: Any) -> dict[str, Any]:
        """{name: content} by the codec of the value's class."""
        codec = _BY_CLASS.get(type(value))
        if codec is None:
            raise ValueError(
                f"a model with a {type(value).__name__} cannot be saved: no codec is registered "
                "for it. Register one with elsewhere.saving.register_codec."
            )
        return {codec.name: codec.to_parts(value, self)}

    def keep(self, leaves: Sequence[Any]) -> list[int]:
        """The arrays' places."""
        first = len(self.arrays)
        self.arrays.extend(np.asarray(leaf) for leaf in leaves)
        return list(range(first, len(self.arrays)))


@dataclass(frozen=True)
class Reader:
    """What `from_parts` reads with."""

    arrays: Sequence[np.ndarray]

    def part(self, content: Mapping[str, Any]) -> Any:
        """What `Writer.part` was given."""
        ((name, inner),) = content.items()
        if name not in _BY_NAME:
            raise ValueError(
                f"it holds a part {name!r}, which is not known here. Import the package that "
                "registers it, or install a newer elsewhere."
            )
        return _BY_NAME[name].from_parts(inner, self)

    def taken(self, places: Sequence[int]) -> list[np.ndarray]:
        """The arrays at these places."""
        if any(not isinstance(i, int) or i < 0 for i in places):
            raise ValueError(f"the places of arrays must be whole numbers; got {places}.")
        return [self.arrays[i] for i in places]


class Codec(NamedTuple):
    """(value, writer) ↦ content, which is plain JSON; (content, reader) ↦ value."""

    name: str
    to_parts: Callable[[Any, Writer], Any]
    from_parts: Callable[[Any, Reader], Any]


_BY_CLASS: dict[type, Codec] = {}
_BY_NAME: dict[str, Codec] = {}


def register_codec(
    cls: type,
    name: str,
    to_parts: Callable[[Any, Writer], Any],
    from_parts: Callable[[Any, Reader], Any],
) -> None:
    """Let values of exactly this class be saved under that name, which files keep for ever."""
    new = Codec(name, to_parts, from_parts)
    if _BY_NAME.get(name, new) != new:
        raise ValueError(f"name must be new; a codec {name!r} exists already.")
    _BY_CLASS[cls] = _BY_NAME[name] = new
