"""Rows of all domains as one array with weights, and what their kinks see."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from elsewhere.fitting.profile.axes.kink import Kink
from elsewhere.fitting.profile.axes.rows import Rows


class WeightedRows(NamedTuple):
    """Rows x of every domain, and their weights, which sum to 1 in each domain.

    Where there are fewer, rows of weight 0 follow.
    """

    values: Float[Array, "D m n"]
    weights: Float[Array, "D n"]


def weighted(rows: Rows) -> WeightedRows:
    """The rows as the search has them, with weights."""
    packed = rows.packed
    return WeightedRows(packed.values[:, :-1], packed.values[:, -1] * packed.each[:, None])


def latents(
    axes: Float[Array, "m m+1"], values: Float[Array, "D m n"], kink: Kink
) -> tuple[Float[Array, "D m n"], Float[Array, "D m n"]]:
    """u = W x + β with axes = [W | β], and z = u + stretch·min(u, 0)."""
    u = axes[:, :-1] @ values + axes[:, -1:]
    return u, u + kink.stretch * jnp.minimum(u, 0.0)


def negative_share(
    u: Float[Array, "D m n"],
    weights: Float[Array, "D n"],
    kink: Kink,
    width: Float[Array, ""] | None,
) -> Float[Array, ""]:
    """Σ_j P(u_j < 0), exact or smoothed."""
    share = weights[:, None]
    if width is None:
        below = (u < 0).astype(u.dtype)
    else:
        means = (u * share).sum(axis=-1, keepdims=True)
        variances = ((u - means) ** 2 * share).sum(axis=-1, keepdims=True)
        below = jax.nn.sigmoid(kink.shift - u / (width * jnp.sqrt(variances)))
    return (below * share).sum() / len(u)  # an einsum over all axes takes ten times as long
