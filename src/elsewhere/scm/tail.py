"""M2 in canonical form: only the last k mechanisms do anything, and they do it by a network."""

import equinox as eqx
import jax
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection
from jax.scipy.linalg import solve_triangular
from jaxtyping import Array, Float, Int, PRNGKeyArray

_MAX_LOG_SCALE = 2.0


class TailSCM(AbstractBijection):
    """z_c = ε_c and z_s = μ_d(z_c) + σ_d(z_c) · (I + L_d)⁻¹ ε_s, with s the last k mechanisms.

    μ and log σ are one network of (z_c, d) for all domains, so that domains learn from each
    other; L_d is strictly lower triangular, so f_d is autoregressive and increasing in its own
    noise. With k = m nothing is left to condition on: a linear Dense model.

    Args:
        key: the network's first weights; its last layer starts near zero, so f_d near I.
        m: the dimension.
        k: how many mechanisms differ between domains.
        num_domains: how many domains there are.
        width: of the network's two hidden layers.
        anchored: the first domain's f is the identity (Identity-Can).
    """

    network: eqx.nn.MLP
    lower: Float[Array, "D k k"]
    domain: Int[Array, ""]
    anchored: bool = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(
        self,
        key: PRNGKeyArray,
        m: int,
        k: int,
        num_domains: int,
        width: int = 128,
        *,
        anchored: bool = False,
    ):
        if not 1 <= k <= m:
            raise ValueError(f"k must be in 1..{m}, the dimension; got {k}.")
        network = eqx.nn.MLP(m - k + num_domains, 2 * k, width, 2, key=key)
        self.network = _quiet(network)
        self.lower = jnp.zeros((num_domains, k, k))
        self.domain, self.anchored = jnp.asarray(0), anchored
        self.shape = (m,)

    def of(self, domain: int | Int[Array, ""]) -> "TailSCM":
        """f_d of one domain, by its number; it may be traced."""
        return eqx.tree_at(lambda f: f.domain, self, jnp.asarray(domain))

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """ε ↦ (z, log|det ∂z/∂ε|)."""
        head, tail = self._parts(x)
        loc, log_scale = self._affine(head)
        unit = solve_triangular(self._triangle(), tail, lower=True, unit_diagonal=True)
        return jnp.concatenate([head, loc + jnp.exp(log_scale) * unit]), log_scale.sum()

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """z ↦ (ε, log|det ∂ε/∂z|)."""
        head, tail = self._parts(y)
        loc, log_scale = self._affine(head)
        unit = (tail - loc) * jnp.exp(-log_scale)
        return jnp.concatenate([head, self._triangle() @ unit]), -log_scale.sum()

    def _parts(self, x: Float[Array, " m"]) -> tuple[Array, Array]:
        cut = len(x) - self.lower.shape[-1]
        return x[:cut], x[cut:]

    def _affine(self, head: Float[Array, " c"]) -> tuple[Array, Array]:
        which = jax.nn.one_hot(self.domain, len(self.lower), dtype=head.dtype)
        loc, raw = jnp.split(self._moves() * self.network(jnp.concatenate([head, which])), 2)
        return loc, _MAX_LOG_SCALE * jnp.tanh(raw / _MAX_LOG_SCALE)

    def _triangle(self) -> Float[Array, "k k"]:
        k = self.lower.shape[-1]
        below = self._moves() * jnp.tril(self.lower[self.domain], -1)
        return jnp.eye(k, dtype=self.lower.dtype) + below

    def _moves(self) -> Float[Array, ""]:
        """0 where f_d is held at the identity, else 1."""
        held = (self.domain == 0) if self.anchored else jnp.asarray(False)
        return jnp.where(held, 0, 1).astype(self.lower.dtype)


def _quiet(network: eqx.nn.MLP) -> eqx.nn.MLP:
    """The same network with its last layer near zero."""
    last = lambda n: (n.layers[-1].weight, n.layers[-1].bias)  # noqa: E731
    return eqx.tree_at(last, network, tuple(1e-2 * leaf for leaf in last(network)))
