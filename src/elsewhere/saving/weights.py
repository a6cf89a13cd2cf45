"""A part of a model again, from its arrays."""

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

Part = TypeVar("Part")


def any_array(leaf: Any) -> bool:
    """Every array, or the outline of one."""
    return hasattr(leaf, "dtype")


def weight(leaf: Any) -> bool:
    """Arrays that are not whole numbers: what a descent may change."""
    return any_array(leaf) and jnp.issubdtype(leaf.dtype, jnp.inexact)


def filled(
    build: Callable[[], Part], arrays: Sequence[np.ndarray], which: Callable[[Any], bool]
) -> Part:
    """What `build` builds with new values in those arrays; shapes are compared before."""
    sketch = jax.tree.leaves(eqx.filter_eval_shape(build))
    shapes = [leaf.shape for leaf in sketch if which(leaf)]
    if shapes != (given := [np.shape(array) for array in arrays]):
        raise ValueError(
            "arrays must have the shapes of the part they belong to, "
            f"{_words(shapes)}; got {_words(given)}."
        )
    old, rest = eqx.partition(build(), which)
    new = [jnp.asarray(array) for array in arrays]
    return eqx.combine(jax.tree.unflatten(jax.tree.structure(old), new), rest)


def _words(shapes: Sequence[tuple[int, ...]]) -> str:
    return f"{len(shapes)} arrays of {sum(map(math.prod, shapes))} numbers"
