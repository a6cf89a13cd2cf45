"""Codecs of what is affine: a matrix that can be inverted, or linear mechanisms."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from elsewhere.bijections import Affine
from elsewhere.bijections.affine import check_invertible
from elsewhere.saving.codec import Reader, register_codec
from elsewhere.saving.shapes import Axes, check_arrays
from elsewhere.scm import LinearSCM
from elsewhere.scm.linear import total_effects

_AFFINE = {"matrix": Axes("m m"), "offset": Axes("m")}
_LINEAR = {"weights": Axes("m m"), "scale": Axes("m"), "bias": Axes("m")}
_SMALLEST = 1e-15  # entry of a row, and noise scale of a mechanism
_LARGEST_EFFECT = 1e12  # of one mechanism on another


def check_matrix(matrix: np.ndarray) -> None:
    """Raise unless the matrix can be inverted with accuracy, and its inverse is not too large."""
    if not len(matrix) or np.abs(matrix).max(axis=1).min() < _SMALLEST:
        raise ValueError(f"rows of a matrix must have an entry of {_SMALLEST:g} or more.")
    check_invertible(matrix)


def _check_affine(places: Any, reader: Reader) -> int:
    arrays = reader.taken_once(places)
    m = check_arrays(arrays, _AFFINE)["m"]
    check_matrix(arrays[0])
    return m


def check_scale(scale: np.ndarray) -> None:
    """Raise unless there are noise scales, none of them too small to divide by."""
    if not len(scale) or np.abs(scale).min() < _SMALLEST:
        raise ValueError(f"scale must be {_SMALLEST:g} or more, for noise is divided by it.")


def check_effects(weights: np.ndarray) -> None:
    """Raise if one mechanism may change another by too much."""
    with np.errstate(all="ignore"):
        total = np.abs(total_effects(weights)).max()
    if not total <= _LARGEST_EFFECT:
        raise ValueError(f"mechanisms must multiply by at most {_LARGEST_EFFECT:g} in all.")


def _check_linear(places: Any, reader: Reader) -> int:
    arrays = reader.taken_once(places)
    m = check_arrays(arrays, _LINEAR)["m"]
    check_scale(arrays[1])
    check_effects(arrays[0])
    return m


def _register(cls: type, rules: Mapping[str, Axes], check: Any) -> None:
    """A class that its arrays alone make."""
    register_codec(
        cls,
        cls.__name__,
        lambda value, writer: writer.keep([getattr(value, name) for name in rules]),
        lambda places, reader: cls(*(jnp.asarray(a) for a in reader.taken(places))),
        check,
    )


_register(Affine, _AFFINE, _check_affine)
_register(LinearSCM, _LINEAR, _check_linear)
