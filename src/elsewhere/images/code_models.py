"""Models of codes: what moves a code from one domain to another."""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float, Int

from elsewhere.bijections import pull, push
from elsewhere.images.batches import in_batches
from elsewhere.model import ILD
from elsewhere.scm import TailSCM

Latents = Float[np.ndarray, "n m"]


class SharedMixing(eqx.Module):
    """z = g(f_d(ε)): one g for all domains, f_d with k own mechanisms; k = m is Dense."""

    mixing: AbstractBijection
    scm: TailSCM

    def noise(
        self, z: Float[Array, "n m"], d: Int[Array, " n"]
    ) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
        """ε = f_d⁻¹(g⁻¹(z)) and log|det ∂ε/∂z| of rows of any domains; to be traced."""
        u, log_det_g = jax.vmap(self.mixing.inverse_and_log_det)(z)
        eps, log_det_f = jax.vmap(lambda u, d: self.scm.of(d).inverse_and_log_det(u))(u, d)
        return eps, log_det_g + log_det_f

    def codes(
        self, eps: Float[Array, "n m"], d: Int[Array, " n"]
    ) -> tuple[Float[Array, "n m"], Float[Array, " n"]]:
        """z = g(f_d(ε)) and log|det ∂z/∂ε| of rows of any domains; to be traced."""
        u, log_det_f = jax.vmap(lambda e, d: self.scm.of(d).transform_and_log_det(e))(eps, d)
        z, log_det_g = jax.vmap(self.mixing.transform_and_log_det)(u)
        return z, log_det_f + log_det_g

    @property
    def domains(self) -> tuple[int, ...]:
        """The domains' positions, which are their names here."""
        return tuple(range(self.scm.lower.shape[0]))

    def move(self, x: Latents, *, d: int, d_prime: int) -> Latents:
        """z_{d→d'} = g∘f_d'∘f_d⁻¹∘g⁻¹(z)."""
        return in_batches(_move_shared, self, x, jnp.asarray(d), jnp.asarray(d_prime))

    def ild(self, domains: Sequence[str]) -> ILD:
        """The same as an ILD on codes, for `elsewhere.theory` and `elsewhere.queries`."""
        return ILD(self.mixing, [self.scm.of(d) for d in range(len(domains))], domains)


class OwnMixings(eqx.Module):
    """M5, ILD-Independent: z = g_d(ε), one g for each domain."""

    mixings: tuple[AbstractBijection, ...]

    @property
    def domains(self) -> tuple[int, ...]:
        """The domains' positions, which are their names here."""
        return tuple(range(len(self.mixings)))

    def move(self, x: Latents, *, d: int, d_prime: int) -> Latents:
        """z_{d→d'} = g_d'∘g_d⁻¹(z)."""
        return in_batches(_move_own, (self.mixings[d], self.mixings[d_prime]), x)


CodeModel = SharedMixing | OwnMixings


def log_normal(eps: Float[Array, "n m"]) -> Float[Array, " n"]:
    """log N(ε; 0, I) of every row."""
    return -0.5 * (jnp.square(eps) + jnp.log(2 * jnp.pi)).sum(axis=-1)


def _move_shared(model: SharedMixing, z: Array, d: Array, target: Array) -> Array:
    eps = pull(model.scm.of(d), pull(model.mixing, z))
    return push(model.mixing, push(model.scm.of(target), eps))


def _move_own(mixings: tuple[AbstractBijection, AbstractBijection], z: Array) -> Array:
    return push(mixings[1], pull(mixings[0], z))
