"""A codec for each class: a model as a tree of named parts with its arrays apart, and back.

Only registered classes are written or read, so that a file can build nothing else. A file is
checked whole before anything is built from it.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from elsewhere.saving.places import OURS
from elsewhere.saving.rules import wrong


@dataclass(frozen=True)
class Writer:
    """What `to_parts` writes with: parts of parts, and arrays by their place in the file."""

    arrays: list[np.ndarray] = field(default_factory=list)

    def part(self, value: Any) -> dict[str, Any]:
        """{name: content} by the codec of the value's class."""
        codec = _codec_of(type(value))
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
    """What `check` and `from_parts` read with; the places that were checked are kept."""

    arrays: Sequence[np.ndarray]
    checked: set[int] = field(default_factory=set)

    def part(self, content: Any) -> Any:
        """What `Writer.part` was given; `check` it first."""
        name, inner = _named(content)
        return _codec_named(name).from_parts(inner, self)

    def check(self, content: Any, among: Set[str] = OURS) -> int | None:
        """The length of the rows that the part takes, where its codec knows; raises if it is wrong.

        Nothing is built, and no array may be used twice: what a file costs is bounded by its size.

        Args:
            content: {name: content} of the part.
            among: the names that may stand there; one that somebody else registered always may.
        """
        name, inner = _named(content)
        if name in OURS - among:
            raise wrong("a part", f"one of {sorted(among)}", name)
        check = _without_jax(name) or _codec_named(name).check
        return None if check is None else check(inner, self)

    def taken(self, places: Any) -> list[np.ndarray]:
        """The arrays at these places."""
        if not isinstance(places, list) or any(
            type(i) is not int or not 0 <= i < len(self.arrays) for i in places
        ):
            raise wrong("places of arrays", f"whole numbers below {len(self.arrays)}", places)
        return [self.arrays[i] for i in places]

    def taken_once(self, places: Any) -> list[np.ndarray]:
        """The arrays at these places, which no other part may use."""
        arrays = self.taken(places)
        if len({*places}) < len(places) or not self.checked.isdisjoint(places):
            raise wrong("places of arrays", "different for each array of each part", places)
        self.checked.update(places)
        return arrays


Check = Callable[[Any, Reader], int | None]


class Codec(NamedTuple):
    """(value, writer) ↦ content, which is plain JSON; (content, reader) ↦ value."""

    name: str
    to_parts: Callable[[Any, Writer], Any]
    from_parts: Callable[[Any, Reader], Any]
    check: Check | None = None


_HOMES = {  # the modules, which load JAX, that register these names
    "models": ("ILD", "PseudoILD", "Chain", "Invert", "Identity", "LeakyReLU", "AutoregressiveSCM"),
    "additive": ("AdditiveSCM",),
    "affine": ("Affine", "LinearSCM"),
    "couplings": ("Couplings",),
    "images": ("Autoencoder", "SharedMixing", "OwnMixings", "ImageILD"),
}
_HOME = {name: f"elsewhere.saving.{module}" for module, names in _HOMES.items() for name in names}
_BY_CLASS: dict[type, Codec] = {}
_BY_NAME: dict[str, Codec] = {}


def register_codec(
    cls: type,
    name: str,
    to_parts: Callable[[Any, Writer], Any],
    from_parts: Callable[[Any, Reader], Any],
    check: Check | None = None,
) -> None:
    """Let values of exactly this class be saved under that name, which files keep for ever.

    Args:
        cls: the class.
        name: its name in files.
        to_parts: from a value and a writer to plain JSON.
        from_parts: back, from what `check` let pass.
        check: raises ValueError for content that makes no such value, before any is made; returns
            the length of the rows that the value takes, or None.
    """
    new = Codec(name, to_parts, from_parts, check)
    if _BY_NAME.get(name, new) != new or _HOME.get(name, _home(to_parts)) != _home(to_parts):
        raise ValueError(f"name must be new; a codec {name!r} already exists.")
    _BY_CLASS[cls] = _BY_NAME[name] = new


def _home(function: Callable[..., Any]) -> str:
    return function.__module__


def _codec_of(cls: type) -> Codec | None:
    """The codec of a class; those that load JAX are tried last, and one after the other."""
    for module in _HOMES:
        if cls in _BY_CLASS:
            break
        import_module(f"elsewhere.saving.{module}")
    return _BY_CLASS.get(cls)


def _named(content: Any) -> tuple[str, Any]:
    if not isinstance(content, dict) or len(content) != 1:
        raise wrong("a part", "an object with one entry, its class", content)
    ((name, inner),) = content.items()
    return name, inner


def _without_jax(name: str) -> Check | None:
    """The check of what is linear or leaky, which need not load what builds it."""
    from elsewhere.saving.leaky_linear import CHECKS

    return CHECKS.get(name)


def _codec_named(name: str) -> Codec:
    if name in _HOME:
        import_module(_HOME[name])
    if name not in _BY_NAME:
        raise ValueError(
            f"it holds a part {name!r}, which is not known here. Import the package that "
            "registers it, or install a newer elsewhere."
        )
    return _BY_NAME[name]
