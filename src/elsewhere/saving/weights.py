"""A part of a model again, from its arrays: its outline is known before any of it is computed."""

import math
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.saving.leaky_linear import check_matrix
from elsewhere.saving.shapes import check_values

Build = Callable[..., Any]  # of sizes alone, which are compared to find the same outline again
Which = Callable[[Any], bool]
LARGEST_WEIGHT = 1e6  # in networks, whose single precision ends at 3e38
_KEPT = 32  # outlines
_MATRIX, _ROTATION = ".matrix", ".rotations"  # arrays that are inverted, by the field's name
_SQUARE = (_MATRIX, _ROTATION)


def any_array(leaf: Any) -> bool:
    """Every array, or the outline of one."""
    return hasattr(leaf, "dtype")


def weight(leaf: Any) -> bool:
    """Arrays that are not whole numbers: what a descent may change."""
    return any_array(leaf) and jnp.issubdtype(leaf.dtype, jnp.inexact)


def check_filled(
    build: Build, sizes: Sequence[Hashable], arrays: Sequence[np.ndarray], which: Which
) -> None:
    """Raise unless the arrays are such as `build(*sizes)` builds, finite and invertible."""
    outline = _outline(build, tuple(sizes), which, _precision())
    named = jax.tree_util.tree_flatten_with_path(outline)[0]
    shapes, given = [leaf.shape for _, leaf in named], [np.shape(array) for array in arrays]
    if shapes != given:
        raise ValueError(
            "arrays must have the shapes of the part they belong to, "
            f"{_words(shapes)}; got {_words(given)}."
        )
    for (path, leaf), array in zip(named, arrays, strict=True):
        _check_leaf(str(path[-1]), np.dtype(leaf.dtype), array)


def _check_leaf(name: str, dtype: np.dtype, array: np.ndarray) -> None:
    if array.dtype.kind != dtype.kind:
        raise ValueError(f"an array must hold {dtype}; got {array.dtype}.")
    if dtype.kind == "f":
        check_values(array, "an array of weights", -LARGEST_WEIGHT, LARGEST_WEIGHT)
    elif not (np.sort(array, axis=-1) == np.arange(array.shape[-1])).all():
        raise ValueError("an array of whole numbers must be a permutation.")
    square = array.reshape(-1, *array.shape[-2:]) if name in _SQUARE else ()
    for matrix in square:
        check_matrix(matrix)
        if name == _ROTATION and not np.abs(matrix.T @ matrix - np.eye(len(matrix))).max() < 1e-3:
            raise ValueError("a rotation must be orthonormal; it is not.")


def filled(
    build: Build, sizes: Sequence[Hashable], arrays: Sequence[np.ndarray], which: Which
) -> Any:
    """What `build(*sizes)` builds, with these values in its arrays; its own are never drawn."""
    given = build, tuple(sizes), which, _precision()
    new = [jnp.asarray(array) for array in arrays]
    return eqx.combine(jax.tree.unflatten(jax.tree.structure(_outline(*given)), new), _rest(*given))


@lru_cache(_KEPT)
def _outline(build: Build, sizes: tuple[Hashable, ...], which: Which, doubled: bool) -> Any:
    """The shapes and types of the arrays."""
    return eqx.filter(eqx.filter_eval_shape(lambda: build(*sizes)), which)


@lru_cache(_KEPT)
def _rest(build: Build, sizes: tuple[Hashable, ...], which: Which, doubled: bool) -> Any:
    """All else, compiled where arrays are left, so that what nobody asks for is not computed."""
    if which is any_array:  # FlowJAX keeps arrays in closures, which must not leave a trace
        return eqx.filter(build(*sizes), which, inverse=True)
    return eqx.filter_jit(lambda: eqx.filter(build(*sizes), which, inverse=True))()


def _precision() -> bool:
    return bool(jax.config.jax_enable_x64)  # type: ignore[attr-defined]


def _words(shapes: Sequence[tuple[int, ...]]) -> str:
    return f"{len(shapes)} arrays of {sum(map(math.prod, shapes))} numbers"
