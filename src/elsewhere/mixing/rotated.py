"""Affine couplings between fixed random rotations: a deep mixing that compiles and fits fast.

A permutation hands each coordinate on whole; a rotation mixes all of them, so that fewer layers
reach the same likelihood. All layers are one scan over stacked weights.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float, PRNGKeyArray

_MAX_LOG_SCALE = 2.0


class RotatedCouplings(AbstractBijection):
    """g⁻¹ = (c_n∘R_n)∘…∘(c_1∘R_1): half of the rotated numbers shifts and scales the other half.

    Args:
        key: the rotations and the first weights; last layers start near zero.
        m: the dimension, at least 2.
        couplings: how many.
        width: of the two hidden layers of each coupling's network.
    """

    rotations: Float[Array, "layers m m"]
    networks: eqx.nn.MLP
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(self, key: PRNGKeyArray, m: int, *, couplings: int = 8, width: int = 128):
        if m < 2 or couplings < 1:
            raise ValueError(
                f"m must be at least 2 and couplings at least 1; got {m=} and {couplings=}."
            )
        rotation_key, network_key = jax.random.split(key)
        normal = jax.random.normal(rotation_key, (couplings, m, m))
        self.rotations = jnp.linalg.qr(normal)[0]
        keys = jax.random.split(network_key, couplings)
        self.networks = eqx.filter_vmap(lambda k: _network(k, m, width))(keys)
        self.shape = (m,)

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """u ↦ (z, log|det ∂z/∂u|)."""
        cut = len(x) // 2

        def layer(carry: tuple[Array, Array], now: tuple[Array, eqx.nn.MLP]) -> tuple:
            (x, log_det), (rotation, network) = carry, now
            shift, log_scale = _affine(eqx.combine(network, static), x[:cut])
            tail = (x[cut:] - shift) * jnp.exp(-log_scale)
            return (jnp.concatenate([x[:cut], tail]) @ rotation.T, log_det - log_scale.sum()), None

        layers, static = self._layers()
        start = x, jnp.zeros((), x.dtype)
        return jax.lax.scan(layer, start, layers, reverse=True)[0]

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """z ↦ (u, log|det ∂u/∂z|)."""
        cut = len(y) // 2

        def layer(carry: tuple[Array, Array], now: tuple[Array, eqx.nn.MLP]) -> tuple:
            (y, log_det), (rotation, network) = carry, now
            y = y @ rotation
            shift, log_scale = _affine(eqx.combine(network, static), y[:cut])
            tail = y[cut:] * jnp.exp(log_scale) + shift
            return (jnp.concatenate([y[:cut], tail]), log_det + log_scale.sum()), None

        layers, static = self._layers()
        return jax.lax.scan(layer, (y, jnp.zeros((), y.dtype)), layers)[0]

    def _layers(self) -> tuple[tuple[Array, eqx.nn.MLP], eqx.nn.MLP]:
        """What a scan runs over, and what all layers share. Rotations are fixed."""
        arrays, static = eqx.partition(self.networks, eqx.is_array)
        return (jax.lax.stop_gradient(self.rotations), arrays), static


def _network(key: PRNGKeyArray, m: int, width: int) -> eqx.nn.MLP:
    """From the first half to shift and log-scale of the second; near zero at first."""
    network = eqx.nn.MLP(m // 2, 2 * (m - m // 2), width, 2, key=key)
    last = lambda n: (n.layers[-1].weight, n.layers[-1].bias)  # noqa: E731
    return eqx.tree_at(last, network, tuple(0.01 * leaf for leaf in last(network)))


def _affine(network: eqx.nn.MLP, head: Float[Array, " c"]) -> tuple[Array, Array]:
    """(shift, log-scale), the latter within ± 2 so that no layer alone can blow up."""
    shift, raw = jnp.split(network(head), 2)
    return shift, _MAX_LOG_SCALE * jnp.tanh(raw / _MAX_LOG_SCALE)
