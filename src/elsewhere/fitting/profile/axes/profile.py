"""The likelihood as a function of the latent axes alone, every mechanism at its best.

Written for automatic differentiation; `ascent` has the slopes in closed form, in half the time.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from elsewhere.fitting.profile.kink import Kink
from elsewhere.fitting.profile.rows import Rows


class WeightedRows(NamedTuple):
    """Rows x of every domain, and their weights, which sum to 1 in each domain.

    Domains of different sizes are padded with rows of weight 0.
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


def profile(
    axes: Float[Array, "m m+1"],
    rows: WeightedRows,
    kinds: Float[Array, "3 m"],
    kink: Kink,
    width: Float[Array, ""] | None,
    blur: Float[Array, ""] | float = 0.0,
) -> Float[Array, ""]:
    """max over mechanisms of mean log p_d(x), plus (m/2) log 2πe: log|det W| + kinks − Σ_j log s_j.

    Given the axes, each mechanism is a least-squares regression on the latents before it, whose
    residual deviation s_j is a diagonal entry of a Cholesky factor. All domains weigh the same.

    Args:
        axes: [W | β], rows in causal order.
        rows: the data.
        kinds: one-hot in its first axis: mechanism j shared by all domains; each domain's own;
            or its own weights and bias with one noise scale for all.
        kink: of the rectifier.
        width: of the sigmoid that replaces 1[u < 0] in the log-determinant, in standard deviations
            of u within each domain; None for the exact value.
        blur: deviation of a noise in x, which adds blur² W Wᵀ to the covariance of z. Thin sheets
            of rows, which hold a search fast wherever it meets them, are no thinner than that.
    """
    u, z = latents(axes, rows.values, kink)
    W = axes[:, :-1]
    covariances = moments(z, rows.weights, blur**2 * W @ W.T)[1]
    kinks = kink.log_ratio * negative_share(u, rows.weights, kink, width)
    return jnp.linalg.slogdet(W)[1] + kinks - log_scale_sum(covariances, kinds)


def log_scale_sum(
    covariances: Float[Array, "E m m"], kinds: Float[Array, "3 m"]
) -> Float[Array, ""]:
    """Σ_j log s_j: the deviation of each latent given those before it, as its kind has it."""
    factor = jnp.linalg.cholesky(covariances)
    log_scales = jnp.log(jnp.diagonal(factor, axis1=1, axis2=2))
    pooled, own = log_scales[0], log_scales[1:]
    one_scale = 0.5 * jnp.log(jnp.exp(2 * own).mean(axis=0))
    return (kinds * jnp.stack([pooled, own.mean(axis=0), one_scale])).sum()


def moments(
    z: Float[Array, "D m n"], weights: Float[Array, "D n"], noise: Float[Array, "m m"] | float = 0.0
) -> tuple[Float[Array, "D m"], Float[Array, "E m m"]]:
    """E_d[z], and Cov(z) + noise over all domains, then in each: E = 1 + D."""
    means = jnp.einsum("din,dn->di", z, weights)
    centred = z - means[:, :, None]
    within = jnp.einsum("din,djn->dij", centred * weights[:, None], centred) + noise
    return means, with_pooled(means, within)


def with_pooled(means: Float[Array, "D m"], within: Float[Array, "D m m"]) -> Float[Array, "E m m"]:
    """The covariance over all domains before those in each."""
    shifts = means - means.mean(axis=0)
    pooled = within.mean(axis=0) + shifts.T @ shifts / len(means)
    return jnp.concatenate([pooled[None], within])


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
