"""Networks applied to any number of images: always in batches of one size, compiled once."""

from collections.abc import Callable
from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree, Shaped

BATCH = 500
Network = TypeVar("Network")


def in_batches(
    apply: Callable[..., PyTree],
    model: PyTree,
    rows: Shaped[np.ndarray, "n ..."],
    *others: PyTree,
    size: int = BATCH,
) -> PyTree:
    """apply(model, rows, *others) as NumPy arrays, each leading with the row; `size` at once.

    `apply` must be the same function object from call to call: it is compiled once.
    """
    starts = range(0, max(1, len(rows)), size)
    parts = [_one_batch(apply, model, rows[start : start + size], size, others) for start in starts]
    return jax.tree.map(lambda *arrays: np.concatenate(arrays), *parts)


def floats(images: Shaped[Array, "*shape"]) -> Float[Array, "*shape"]:
    """uint8 in 0..255 to float32 in 0..1, traced; floats stay."""
    scale = 255 if images.dtype == jnp.uint8 else 1
    return images.astype(jnp.float32) / scale


def in_float32(network: Network) -> Network:
    """Its weights in single precision, whatever JAX's default."""
    single = lambda leaf: leaf.astype(jnp.float32) if eqx.is_inexact_array(leaf) else leaf  # noqa: E731
    return jax.tree.map(single, network)


def _one_batch(
    apply: Callable[..., PyTree],
    model: PyTree,
    rows: Shaped[np.ndarray, "r ..."],
    size: int,
    others: PyTree,
) -> PyTree:
    """Padded to the one size, and cut back."""
    padded = np.zeros((size, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    found = _applied(apply, model, jnp.asarray(padded), others)
    return jax.tree.map(lambda array: np.asarray(array)[: len(rows)], found)


@eqx.filter_jit
def _applied(apply: Callable[..., PyTree], model: PyTree, rows: Array, others: PyTree) -> PyTree:
    return apply(model, rows, *others)
