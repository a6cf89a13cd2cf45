"""D1: an invertible SCM as one global function, and its mechanisms back from that function."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.scm.monotone import ScalarMap, check_monotone

_BISECTIONS = 200


class Mechanism(NamedTuple):
    """z_j = forward(ε_j, z_<j) and ε_j = inverse(z_j, z_<j), both monotone in their first argument.

    With `inverse` left out it is found by bisection.
    """

    forward: ScalarMap
    inverse: ScalarMap | None = None


class MechanismSCM(AbstractBijection):
    """f(ε) = [f̂¹(ε_1), f̂²(ε_2, z_1), …]: the global function of a list of mechanisms.

    The paper's "SCM Global Function Representation". Mechanisms are probed on construction: one
    that is not strictly monotone in its own noise has no inverse and is refused.
    """

    mechanisms: tuple[Mechanism, ...] = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(self, mechanisms: Sequence[Mechanism | ScalarMap]):
        self.mechanisms = tuple(m if isinstance(m, Mechanism) else Mechanism(m) for m in mechanisms)
        self.shape = (len(self.mechanisms),)

    def __check_init__(self) -> None:
        """Every mechanism must be strictly monotone in its own noise."""
        check_monotone([mechanism.forward for mechanism in self.mechanisms])

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """ε ↦ (z, log|det ∂z/∂ε|)."""
        z, log_det = x[:0], jnp.zeros((), x.dtype)
        for mechanism, eps_j in zip(self.mechanisms, x, strict=True):
            z_j, slope = jax.value_and_grad(mechanism.forward)(eps_j, z)
            z, log_det = jnp.append(z, z_j), log_det + jnp.log(jnp.abs(slope))
        return z, log_det

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """z ↦ (ε, log|det ∂ε/∂z|)."""
        eps, log_det = [], jnp.zeros((), y.dtype)
        for j, mechanism in enumerate(self.mechanisms):
            backward = mechanism.inverse or monotone_inverse(mechanism.forward)
            eps_j, slope = jax.value_and_grad(backward)(y[j], y[:j])
            eps, log_det = [*eps, eps_j], log_det + jnp.log(jnp.abs(slope))
        return jnp.stack(eps), log_det


def mechanisms_of(f: AbstractBijection) -> tuple[Mechanism, ...]:
    """f̂ʲ(ε_j, z_<j) = [f([f⁻¹(z_<j, ·)]_<j, ε_j, ·)]_j: the mechanisms of an autoregressive f."""
    return tuple(_mechanism(f, j) for j in range(f.shape[0]))


def monotone_inverse(fn: ScalarMap) -> ScalarMap:
    """The inverse of fn(·, parents), by bracketing and bisection; differentiable implicitly."""

    def inverse(y: Array, parents: Array) -> Array:
        return jax.lax.custom_root(
            lambda x: fn(x, parents) - y,
            jnp.zeros_like(y),
            _bisect,
            lambda linear, rhs: rhs / linear(jnp.ones_like(rhs)),
        )

    return inverse


def _mechanism(f: AbstractBijection, j: int) -> Mechanism:
    m = f.shape[0]

    def pad(head: Array) -> Array:
        return jnp.concatenate([head, jnp.zeros(m - len(head), head.dtype)])

    def forward(eps_j: Array, parents: Array) -> Array:
        eps = f.inverse(pad(parents))[:j]
        return f.transform(pad(jnp.append(eps, eps_j)))[j]

    def inverse(z_j: Array, parents: Array) -> Array:
        return f.inverse(pad(jnp.append(parents, z_j)))[j]

    return Mechanism(forward, inverse)


def _bisect(residual: Callable[[Array], Array], start: Array) -> Array:
    """The root of a monotone residual: double the bracket until the sign changes, then halve."""
    reach = 2.0 ** jnp.arange(60, dtype=start.dtype)
    rising = (jax.vmap(residual)(start + reach) > jax.vmap(residual)(start - reach)).any()
    below = lambda x: (residual(x) < 0) == rising  # noqa: E731

    def widen(_: Array, bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bracket
        return jnp.where(below(low), low, 2 * low), jnp.where(below(high), 2 * high, high)

    def halve(_: Array, bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bracket
        middle = 0.5 * (low + high)
        left = below(middle)
        return jnp.where(left, middle, low), jnp.where(left, high, middle)

    bracket = jax.lax.fori_loop(0, 60, widen, (start - 1, start + 1))
    low, high = jax.lax.fori_loop(0, _BISECTIONS, halve, bracket)
    return 0.5 * (low + high)
