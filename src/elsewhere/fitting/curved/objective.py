"""The likelihood as a function of linear axes alone, every curved mechanism at its best."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from elsewhere.fitting.kinds import SHARED
from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.profile import with_pooled
from elsewhere.scm.additive import CURVES, curves

TOGETHER = 8  # axes at a time: one shape to compile
MEMORY = 20  # past moves that shape the metric of a climb
ARRIVED = 1e-5  # nats per row in a few steps: fewer and a climb ends
RIDGE = 1e-3  # variance added to every bend, so that curves are no rougher than rows tell
Stack = Float[np.ndarray, "R m m"]
Kinds = Int[np.ndarray, "R m"]
Packed = Float[Array, "D m n"]


def climb(stack: Stack, rows: Packed, kinds: Kinds, steps: int) -> tuple[Stack, np.ndarray]:
    """(argmax of `profile` from all of the axes, its values), by L-BFGS."""

    def loss(points: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, slopes = _in_groups(points.reshape(-1, *stack.shape[1:]), rows, kinds[which])
        return -values, -slopes.reshape(points.shape)

    ends = minimise_each(loss, stack.reshape(len(stack), -1), steps, MEMORY, ARRIVED)
    return ends.points.reshape(stack.shape), -ends.values


def profile(W: Float[Array, "m m"], rows: Packed, shared: Float[Array, " m"]) -> Float[Array, ""]:
    """max over curved mechanisms of mean log p_d(x), plus (m/2) log 2πe: log|det W| − Σ_j log s_j.

    Each mechanism is a least-squares regression on the curves of the latents before it, so that
    s_j is a diagonal entry of the Cholesky factor of the curves' covariance.
    """
    z = jnp.einsum("ji,din->djn", W, rows)
    _, covariances, units = moments(z)
    factor = jnp.linalg.cholesky(covariances)
    log_scales = jnp.log(jnp.diagonal(factor, axis1=1, axis2=2)[:, ::CURVES])
    pooled, own = log_scales[0], log_scales[1:].mean(axis=0)
    chosen = shared * pooled + (1 - shared) * own
    return jnp.linalg.slogdet(W)[1] - (chosen + jnp.log(units)).sum()


def moments(
    z: Packed,
) -> tuple[Float[Array, "D p"], Float[Array, "E p p"], Float[Array, " m"]]:
    """Means and covariances of the curves of latents of unit deviation, and these deviations.

    Covariances are over all domains, then in each; p = m · CURVES, those of one latent together.
    """
    centre = z.mean(axis=(0, 2))[:, None]
    units = jnp.sqrt(((z - centre) ** 2).mean(axis=(0, 2)))
    bent = jnp.moveaxis(curves((z - centre) / units[:, None]), -1, 2)  # D m q n
    flat = bent.reshape(len(z), -1, z.shape[-1])
    means = flat.mean(axis=-1)
    centred = flat - means[..., None]
    within = jnp.einsum("din,djn->dij", centred, centred) / z.shape[-1]
    return means, with_pooled(means, within) + jnp.diag(ridge(z.shape[1])), units


def ridge(m: int) -> Float[np.ndarray, " p"]:
    """What is added to the variance of every curve."""
    return np.tile(np.r_[1e-6, np.full(CURVES - 1, RIDGE)], m).astype(np.float32)


def _in_groups(stack: Stack, rows: Packed, kinds: Kinds) -> tuple[np.ndarray, Stack]:
    """Values and slopes, TOGETHER axes at a time, or one, so that few shapes compile."""
    R, shared = len(stack), (kinds == SHARED).astype(np.float32)
    size = 1 if R < 3 else TOGETHER
    chosen = np.arange(-(-R // size) * size).reshape(-1, size) % R
    parts = [_value_and_slope(stack[i].astype(np.float32), rows, shared[i]) for i in chosen]
    values, slopes = (np.concatenate(part)[:R] for part in zip(*parts, strict=True))
    return np.asarray(values, float), np.asarray(slopes, float)


_value_and_slope = jax.jit(jax.vmap(jax.value_and_grad(profile), (0, None, 0)))
