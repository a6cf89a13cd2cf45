"""Nonlinear mechanisms with additive noise: sums of curves, one for each parent."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.scm.own_noise import check_scale

KNOTS = np.array([-1.0, 0.0, 1.0])  # where curves bend, in deviations of a latent
STEEPNESS = 1.5
CURVES = 1 + len(KNOTS)
Matrix = Array | np.ndarray


class AdditiveSCM(AbstractBijection):
    """z_j = Σ_{i<j} Σ_b w_jib φ_b(z_i) + s_j ε_j + c_j, φ_b(z) = z and tanh(1.5(z − κ_b)).

    For latents of about unit deviation: the curves bend at κ = −1, 0, 1, and are straight far
    outside. Only i < j of `weights` is read. Row j of every leaf is mechanism j and nothing else.
    """

    weights: Float[Array, "m m q"]
    scale: Float[Array, " m"]
    bias: Float[Array, " m"]
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(
        self,
        weights: Float[Matrix, "m m q"],
        scale: Float[Matrix, " m"],
        bias: Float[Matrix, " m"],
    ):
        self.weights, self.scale, self.bias = (jnp.asarray(a) for a in (weights, scale, bias))
        self.shape = self.scale.shape[-1:]

    def __check_init__(self) -> None:
        """Each mechanism must depend on its own noise."""
        check_scale(self.scale)

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """ε ↦ (z, log|det ∂z/∂ε|): one mechanism after another."""

        def step(j: Array, z: Array) -> Array:
            return z.at[j].set(self._parents(z)[j] + self.scale[j] * x[j] + self.bias[j])

        z = jax.lax.fori_loop(0, len(x), step, jnp.zeros_like(x))
        return z, jnp.log(jnp.abs(self.scale)).sum()

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """z ↦ (ε, log|det ∂ε/∂z|): all mechanisms at once."""
        eps = (y - self._parents(y) - self.bias) / self.scale
        return eps, -jnp.log(jnp.abs(self.scale)).sum()

    def _parents(self, z: Float[Array, " m"]) -> Float[Array, " m"]:
        """What the parents of every mechanism add up to."""
        before = jnp.tril(jnp.ones((len(z), len(z)), z.dtype), -1)
        return jnp.einsum("jiq,ji,iq->j", self.weights, before, curves(z))


def curves(z: Float[Array, "*n m"]) -> Float[Array, "*n m q"]:
    """φ_b(z): z itself, then its bends."""
    bends = jnp.tanh(STEEPNESS * (z[..., None] - KNOTS.astype(z.dtype)))
    return jnp.concatenate([z[..., None], bends], axis=-1)
