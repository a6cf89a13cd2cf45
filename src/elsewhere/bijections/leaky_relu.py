"""The leaky rectifier as a bijection."""

import equinox as eqx
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float


class LeakyReLU(AbstractBijection):
    """y_j = z_j if z_j >= 0 else slope * z_j, elementwise.

    Its log-determinant, sum_j 1[z_j < 0] log(slope), is piecewise constant: automatic
    differentiation sees a zero gradient although moving the kink changes the expected likelihood.
    `elsewhere.fitting` treats that boundary term; here the values are exact.
    """

    shape: tuple[int, ...] = eqx.field(static=True)
    slope: float = eqx.field(static=True, default=0.5)
    cond_shape: None = eqx.field(static=True, default=None)

    def __check_init__(self) -> None:
        """The slope must keep the map increasing."""
        if not self.slope > 0:
            raise ValueError(f"slope must be positive; got {self.slope}. Use e.g. slope=0.5.")

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """(LeakyReLU(x), log|det J|)."""
        factor = jnp.where(x < 0, jnp.asarray(self.slope, x.dtype), jnp.ones((), x.dtype))
        return x * factor, jnp.log(factor).sum()

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """(LeakyReLU^-1(y), log|det J^-1|)."""
        factor = jnp.where(y < 0, jnp.asarray(self.slope, y.dtype), jnp.ones((), y.dtype))
        return y / factor, -jnp.log(factor).sum()
