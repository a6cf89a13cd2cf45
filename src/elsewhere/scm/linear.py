"""M1: linear latent causal models."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.errors import AssumptionError, concrete
from elsewhere.plain_maps import inverse_lower, total_effects
from elsewhere.scm.own_noise import check_scale

Matrix = Array | np.ndarray


class LinearSCM(AbstractBijection):
    """z = (I − L)⁻¹ (S ε + c): mechanism j is z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j.

    The bias c sits inside the mechanisms, so row j of every leaf is mechanism j and nothing else.
    The paper's f(ε) = (I − L)⁻¹ S ε + b has the same maps, with c = (I − L) b: see `from_affine`.
    Only the strictly lower triangle of `weights` is read.
    """

    weights: Float[Array, "m m"]
    scale: Float[Array, " m"]
    bias: Float[Array, " m"]
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(
        self,
        weights: Float[Matrix, "m m"],
        scale: Float[Matrix, " m"],
        bias: Float[Matrix, " m"],
    ):
        self.weights, self.scale, self.bias = (jnp.asarray(a) for a in (weights, scale, bias))
        self.shape = self.scale.shape[-1:]

    def __check_init__(self) -> None:
        """Each mechanism must depend on its own noise."""
        check_scale(self.scale)

    @classmethod
    def from_affine(cls, matrix: Float[Matrix, "m m"], offset: Float[Matrix, " m"]) -> "LinearSCM":
        """z = F ε + b with F lower triangular: S = diag F, L = I − S F⁻¹, c = (I − L) b."""
        _check_lower_triangular(matrix)
        scale = matrix.diagonal()
        below = np.tri(len(scale), k=-1, dtype=bool)
        weights = -scale[:, None] * _inverse_lower(matrix) * below
        return cls(weights, scale, offset - weights @ offset)

    @classmethod
    def identity(cls, m: int) -> "LinearSCM":
        """z = ε."""
        return cls(jnp.zeros((m, m)), jnp.ones(m), jnp.zeros(m))

    def affine_parts(
        self,
    ) -> tuple[Float[Matrix, "m m"], Float[Matrix, " m"]]:
        """(F, b) with f(ε) = F ε + b."""
        given = (self.weights, self.scale, self.bias)
        values = [a if (value := concrete(a)) is None else value for a in given]
        total = _total_effects(values[0])
        return total * values[1], total @ values[2]

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """ε ↦ (z, log|det ∂z/∂ε|)."""
        total, lower = _total_effects(self.weights), jnp.tril(self.weights, -1)
        source = self.scale * x + self.bias
        z = jnp.asarray(total @ source)
        z = z + total @ (source + lower @ z - z)
        return z, jnp.log(jnp.abs(self.scale)).sum()

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """z ↦ (ε, log|det ∂ε/∂z|)."""
        eps = (y - jnp.tril(self.weights, -1) @ y - self.bias) / self.scale
        return eps, -jnp.log(jnp.abs(self.scale)).sum()


def _total_effects(weights: Float[Matrix, "m m"]) -> Float[Matrix, "m m"]:
    """(I − L)⁻¹; in NumPy where the weights have values, for that need not compile."""
    if isinstance(weights, np.ndarray):
        return total_effects(weights)
    m = weights.shape[0]
    return _inverse_lower(np.eye(m, dtype=weights.dtype) - weights * np.tri(m, k=-1, dtype=bool))


def _inverse_lower(matrix: Float[Matrix, "m m"]) -> Float[Matrix, "m m"]:
    """A⁻¹ of a lower-triangular A."""
    if isinstance(matrix, np.ndarray):
        return inverse_lower(matrix)
    identity = np.eye(matrix.shape[0], dtype=matrix.dtype)
    return jax.scipy.linalg.solve_triangular(matrix, identity, lower=True)


def _check_lower_triangular(matrix: Float[Matrix, "m m"]) -> None:
    value = concrete(matrix)
    if value is None:
        return
    above = np.abs(np.triu(value, 1)).max(initial=0.0)
    if above > 1e3 * np.finfo(value.dtype).eps * np.abs(value).max(initial=0.0):
        raise AssumptionError(
            f"matrix must be lower triangular, because f_d is autoregressive; an entry of size "
            f"{above:.3g} lies above the diagonal. Reorder the variables topologically first."
        )
