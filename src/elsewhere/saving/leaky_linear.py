"""Linear and leaky ILDs as a file holds them: checked, and moving rows, without loading JAX."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.errors import DomainError
from elsewhere.plain_maps import (
    Parts,
    Stage,
    affine_stage,
    check_invertible,
    folded,
    leaky_stage,
    mechanism_parts,
    total_effects,
)
from elsewhere.saving.labels import domains_from_json
from elsewhere.saving.places import BIJECTIONS
from elsewhere.saving.rules import fields, listed, number, whole, wrong
from elsewhere.saving.shapes import Axes, check_arrays

if TYPE_CHECKING:
    from elsewhere.saving.codec import Reader

LARGEST_SIZE = 100_000  # columns, latents, widths
LONGEST_CHAIN = 100
AFFINE = {"matrix": Axes("m m"), "offset": Axes("m")}
LINEAR = {"weights": Axes("m m"), "scale": Axes("m"), "bias": Axes("m")}
SIZE = whole(1, LARGEST_SIZE)
_SLOPE = number(1e-6, 1e6)
_SMALLEST = 1e-15  # entry of a row, and noise scale of a mechanism
_LARGEST_EFFECT = 1e12  # of one mechanism on another


@dataclass(frozen=True)
class PlainILD:
    """x ↦ x_{d→d'} as the ILD in a file has it, in float64.

    Attributes:
        domains: their names.
        mixing: g.
        scms: f_d of every domain.
        reader: of their arrays.
    """

    domains: tuple[Hashable, ...]
    mixing: Mapping[str, Any]
    scms: Sequence[Mapping[str, Any]]
    reader: "Reader"

    def move(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[np.ndarray, "n m"]:
        """The same, bit for bit, as `ILD.plain_move`."""
        f, f_prime = (self.scms[self._place(name)] for name in (d, d_prime))
        steps = [(self.mixing, True), (f, True), (f_prime, False), (self.mixing, False)]
        return folded([stage for step in steps for stage in self._stages(*step)])(np.asarray(x))

    def _place(self, d: Hashable) -> int:
        if d not in self.domains:
            raise DomainError(f"domain {d!r} does not exist in this model: {list(self.domains)}.")
        return self.domains.index(d)

    def _stages(self, part: Mapping[str, Any], inverted: bool) -> list[Stage]:
        ((name, inner),) = part.items()
        if name == "Chain":
            order = reversed(inner) if inverted else inner
            return [stage for one in order for stage in self._stages(one, inverted)]
        if name == "LeakyReLU":
            return [leaky_stage(float(inner[1]), inverted)]
        return [affine_stage(self._parts(name, inner), inverted)]

    def _parts(self, name: str, inner: Any) -> Parts:
        if name == "Identity":
            return np.eye(inner), np.zeros(inner)
        arrays = self.reader.taken(inner)
        return (arrays[0], arrays[1]) if name == "Affine" else mechanism_parts(*arrays)


def plain_ild(part: Mapping[str, Any], reader: "Reader", doubled: bool) -> PlainILD | None:
    """The mover of a part that has been checked; None where not all of it is affine or leaky.

    Nor where arrays in float64 are of a model in float32 (`doubled` says which): they are rounded
    when it is built, and checked again.
    """
    if [*part] != ["ILD"]:
        return None
    content = part["ILD"]
    mixing, scms = content["mixing"], content["scms"]
    if not all(_is_plain(one, reader, doubled) for one in (mixing, *scms)):
        return None
    return PlainILD(domains_from_json(content["domains"]), mixing, scms, reader)


def _is_plain(part: Mapping[str, Any], reader: "Reader", doubled: bool) -> bool:
    ((name, inner),) = part.items()
    if name == "Chain":
        return all(_is_plain(one, reader, doubled) for one in inner)
    if name in ("Affine", "LinearSCM"):
        return doubled or all(a.dtype == np.float32 for a in reader.taken(inner))
    return name in ("Identity", "LeakyReLU")


def check_matrix(matrix: np.ndarray) -> None:
    """Raise unless the matrix can be inverted with accuracy, and its inverse is not too large."""
    if not len(matrix) or np.abs(matrix).max(axis=1).min() < _SMALLEST:
        raise ValueError(f"rows of a matrix must have an entry of {_SMALLEST:g} or more.")
    check_invertible(matrix)


def one_width(parts: Sequence[Any], reader: "Reader") -> int | None:
    """The length of rows that all parts take."""
    widths = {reader.check(part, BIJECTIONS) for part in parts}
    if len(widths) != 1 or None in widths:
        raise wrong("the parts of a model", "bijections of one dimension", widths)
    return widths.pop()


def _check_ild(content: Any, reader: "Reader") -> int | None:
    fields({"domains": listed(lambda *_: None, 1)})(content, "ILD")
    count = len(domains_from_json(content["domains"]))
    listed(lambda *_: None, count, count)(content.get("scms"), "scms")
    return one_width([content.get("mixing"), *content["scms"]], reader)


def _check_chain(parts: Any, reader: "Reader") -> int | None:
    listed(lambda *_: None, 1, LONGEST_CHAIN)(parts, "Chain")
    return one_width(parts, reader)


def _check_identity(m: Any, reader: "Reader") -> int:
    SIZE(m, "Identity")
    return m


def _check_leaky(content: Any, reader: "Reader") -> int:
    listed(lambda *_: None, 2, 2)(content, "LeakyReLU")
    SIZE(content[0], "LeakyReLU[0]")
    _SLOPE(content[1], "slope")
    return content[0]


def _check_affine(places: Any, reader: "Reader") -> int:
    arrays = reader.taken_once(places)
    m = check_arrays(arrays, AFFINE)["m"]
    check_matrix(arrays[0])
    return m


def check_scale(scale: np.ndarray) -> None:
    """Raise unless there are noise scales, none of them too small to divide by."""
    if not len(scale) or np.abs(scale).min() < _SMALLEST:
        raise ValueError(f"scale must be {_SMALLEST:g} or more, because noise is divided by it.")


def check_effects(weights: np.ndarray) -> None:
    """Raise if one mechanism may change another by too much."""
    with np.errstate(all="ignore"):
        total = np.abs(total_effects(weights)).max()
    if not total <= _LARGEST_EFFECT:
        raise ValueError(f"mechanisms must multiply by at most {_LARGEST_EFFECT:g} in all.")


def _check_linear(places: Any, reader: "Reader") -> int:
    arrays = reader.taken_once(places)
    m = check_arrays(arrays, LINEAR)["m"]
    check_scale(arrays[1])
    check_effects(arrays[0])
    return m


CHECKS: dict[str, Callable[[Any, "Reader"], int | None]] = {
    "ILD": _check_ild,
    "Chain": _check_chain,
    "Invert": lambda part, reader: reader.check(part, BIJECTIONS),
    "Identity": _check_identity,
    "LeakyReLU": _check_leaky,
    "Affine": _check_affine,
    "LinearSCM": _check_linear,
}
