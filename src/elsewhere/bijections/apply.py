"""Bijections on many points at once, compiled once for every structure and shape."""

import equinox as eqx
import jax
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float


@eqx.filter_jit
def push(bijection: AbstractBijection, x: Float[Array, "n m"]) -> Float[Array, "n m"]:
    """y_i = b(x_i)."""
    return jax.vmap(bijection.transform)(x)


@eqx.filter_jit
def pull(bijection: AbstractBijection, y: Float[Array, "n m"]) -> Float[Array, "n m"]:
    """x_i = b⁻¹(y_i)."""
    return jax.vmap(bijection.inverse)(y)


@eqx.filter_jit
def pull_and_log_det(
    bijection: AbstractBijection, y: Float[Array, "n m"]
) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
    """x_i = b⁻¹(y_i) and log|det ∂x_i/∂y_i|."""
    return jax.vmap(bijection.inverse_and_log_det)(y)


@eqx.filter_jit
def jacobians(bijection: AbstractBijection, x: Float[Array, "n m"]) -> Float[Array, "n m m"]:
    """∂b/∂x at every x_i."""
    return jax.vmap(jax.jacfwd(bijection.transform))(x)
