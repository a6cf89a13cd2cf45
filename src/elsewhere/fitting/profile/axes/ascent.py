"""The smoothed profile of many fits and its gradient, in closed form and few passes over the rows.

One small program for each shape, and few shapes: it compiles in a second.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.fitting.profile.axes.scales import log_det_and_slopes, of_moments
from elsewhere.fitting.profile.kink import Kink
from elsewhere.fitting.profile.rows import PackedRows

Stacked = Float[Array, "R m m+1"]
Latents = Float[Array, "D R m n"]


def value_and_gradient(
    stack: Float[np.ndarray, "R m m+1"],
    rows: PackedRows,
    kinds: Float[np.ndarray, "R 3 m"],
    kink: Kink,
    smooth: Float[np.ndarray, "2"],
) -> tuple[Float[np.ndarray, " R"], Float[np.ndarray, "R m m+1"]]:
    """log|det W| + smoothed kinks − Σ_j log s_j, and its slopes in the axes.

    Given the axes, each mechanism is a least-squares regression on the latents before it, whose
    residual deviation s_j is a diagonal entry of a Cholesky factor. All domains weigh the same.

    Args:
        stack: [W | β] of every fit, rows in causal order.
        rows: the data.
        kinds: one-hot in its second axis: mechanism j shared by all domains; each domain's own;
            or its own weights and bias with one noise scale for all.
        kink: of the rectifier.
        smooth: the width of the sigmoid that replaces 1[u < 0] in the log-determinant, in standard
            deviations of u within each domain; and the blur, the deviation of a noise in x, which
            adds blur² W Wᵀ to the covariance of z. Thin sheets of rows, which hold a search fast
            wherever it meets them, are no thinner than that.
    """
    dtype = rows.values.dtype
    given = (np.asarray(part, dtype) for part in (stack, kinds, smooth))
    values, slopes = (np.array(part, float) for part in _but_log_det(rows, kink, *given))
    log_det, by_W = log_det_and_slopes(stack[..., :-1])
    slopes[..., :-1] += by_W
    return values + log_det, slopes


@jax.jit
def _but_log_det(
    rows: PackedRows,
    kink: Kink,
    stack: Stacked,
    kinds: Float[Array, "R 3 m"],
    smooth: Float[Array, "2"],
) -> tuple[Float[Array, " R"], Stacked]:
    width, blur = smooth
    D, R, m = len(rows.values), *stack.shape[:2]
    W, each = stack[..., :-1], rows.each[:, None, None]
    axes = jnp.broadcast_to(stack.reshape(1, R * m, m + 1), (D, R * m, m + 1))
    u = (axes @ rows.values).reshape(D, R, m, -1)
    z = u + kink.stretch * jnp.minimum(u, 0.0)
    means = z.sum(axis=-1) * each
    centred = (z - means[..., None]) * rows.values[:, None, None, -1]  # 0 where there is no row
    within = centred @ centred.mT * each[..., None]
    found = of_moments(means, within + blur**2 * W @ W.mT, kinds, jnp, _factored)
    slopes = (2 * found.by_within @ centred + found.by_means[..., None]) * each[..., None]
    slopes = jnp.where(u < 0, (1 + kink.stretch) * slopes, slopes)
    shares, by_axes, by_scales = _of_kinks(stack, u, rows, kink, width)
    by_W = by_scales + 2 * blur**2 * found.by_within.sum(axis=0) @ W
    gradient = _against(slopes, rows).sum(axis=0) + by_axes
    return found.values + shares, gradient.at[..., :-1].add(by_W)


def _factored(
    covariances: Float[Array, "*R m m"],
) -> tuple[Float[Array, "*R m m"], Float[Array, "*R m m"]]:
    """F and F⁻¹ with F Fᵀ = Cov."""
    factors = jnp.linalg.cholesky(covariances)
    identity = jnp.broadcast_to(jnp.eye(factors.shape[-1], dtype=factors.dtype), factors.shape)
    solve = jax.lax.linalg.triangular_solve
    return factors, solve(factors, identity, left_side=True, lower=True)


def _of_kinks(
    stack: Stacked, u: Latents, rows: PackedRows, kink: Kink, width: Float[Array, ""]
) -> tuple[Float[Array, " R"], Stacked, Float[Array, "R m m"]]:
    """log_ratio · the smoothed share of rows below the kinks, its slopes by u and its deviations.

    The sigmoid's steepness is 1/(width · deviation of u within the domain).
    """
    through = jnp.einsum("rij,djk->drik", stack[..., :-1], rows.covariances)
    variances = (through * stack[..., :-1]).sum(axis=-1)
    steepness = 1 / (width * jnp.sqrt(variances))
    each = kink.log_ratio * rows.each[:, None, None] / len(u)
    present = rows.values[:, None, None, -1]
    below = jax.nn.sigmoid(kink.shift - u * steepness[..., None]) * present
    turned = each[..., None] * _against(below * below - below, rows)
    by_variances = -steepness / variances * (turned * stack).sum(axis=-1)
    by_scales = (by_variances[..., None] * through).sum(axis=0)
    by_axes = (turned * steepness[..., None]).sum(axis=0)
    return (each * below.sum(axis=-1)).sum(axis=(0, 2)), by_axes, by_scales


def _against(values: Latents, rows: PackedRows) -> Float[Array, "D R m m+1"]:
    """Σ_n values · (x, 1)."""
    D, R, m, n = values.shape
    return (values.reshape(D, R * m, n) @ rows.values.mT).reshape(D, R, m, -1)
