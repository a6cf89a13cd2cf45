"""M4 for tables: x ≈ g(f_d(ε)) with fewer latents than columns, g a decoder of three layers."""

from collections.abc import Hashable
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.arrays import AnyArray
from elsewhere.bijections import pull, push
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.scm import LinearSCM

FIRST, SMALLEST = -1.5, -5.0  # log noise of x around g, in deviations: at first, and at least


class Coder(eqx.Module):
    """g⁺ and g: three fully connected layers each; and the log deviation of x around g."""

    encoder: eqx.nn.MLP
    decoder: eqx.nn.MLP
    log_noise: Float[Array, ""]

    def __init__(self, key: PRNGKeyArray, columns: int, latent: int, width: int):
        first, second = jax.random.split(key)
        silu = jax.nn.silu
        self.encoder = eqx.nn.MLP(columns, 2 * latent, width, 2, activation=silu, key=first)
        self.decoder = eqx.nn.MLP(latent, columns, width, 2, activation=silu, key=second)
        self.log_noise = jnp.asarray(FIRST)

    def posterior(
        self, x: Float[Array, "p n"]
    ) -> tuple[Float[Array, "latent n"], Float[Array, "latent n"]]:
        """(z, log sd of ε) for every column x."""
        code = jax.vmap(self.encoder, 1, 1)(x)
        z, log_sd = jnp.split(code, 2)
        return z, jnp.clip(log_sd, -8.0, 2.0)

    def decode(self, z: Float[Array, "latent n"]) -> Float[Array, "p n"]:
        """g(z) for every column z."""
        return jax.vmap(self.decoder, 1, 1)(z)

    @property
    def noise(self) -> Float[Array, ""]:
        """The deviation of x around g(z)."""
        return jnp.exp(jnp.maximum(self.log_noise, SMALLEST))


@dataclass(frozen=True)
class PseudoILD:
    """x = g(f_d(ε)) + σ n: the noise of the latents and what g leaves of x are both exogenous.

    Attributes:
        coder: g⁺ and g, in standardised columns.
        scms: f_d, one per domain.
        domains: their names.
        white: columns to standardised columns; it does not decorrelate them.
    """

    coder: Coder
    scms: tuple[LinearSCM, ...]
    domains: tuple[Hashable, ...]
    white: Whitening

    @property
    def dtype(self) -> jnp.dtype:
        """The floating type of the model's parameters."""
        return self.coder.log_noise.dtype

    def move(
        self,
        x: Float[AnyArray, "n p"],
        *,
        d: Hashable,
        d_prime: Hashable,
        keep_residual: bool = True,
    ) -> Float[Array, "n p"]:
        """x_{d→d'} = g(f_d'(ε)) + (x − g(f_d(ε))), with ε = f_d⁻¹(g⁺(x)).

        The residual is noise too, and a counterfactual keeps the noise; without it the answer lies
        on the surface that g draws.
        """
        here, there = (self.scms[self.domains.index(name)] for name in (d, d_prime))
        outward = self.white.bijection()
        inward = pull(outward, jnp.asarray(x, float))
        z = self.coder.posterior(inward.T)[0].T
        moved = self.coder.decode(push(there, pull(here, z)).T).T
        if keep_residual:
            moved = moved + inward - self.coder.decode(z.T).T
        return push(outward, moved)


@dataclass(frozen=True)
class OnTheSurface:
    """The same model without the residual: x_{d→d'} = g(f_d'(ε))."""

    model: PseudoILD

    @property
    def domains(self) -> tuple[Hashable, ...]:
        """The domains' names."""
        return self.model.domains

    def move(
        self, x: Float[AnyArray, "n p"], *, d: Hashable, d_prime: Hashable
    ) -> Float[Array, "n p"]:
        """g(f_d'(ε)) of every row."""
        return self.model.move(x, d=d, d_prime=d_prime, keep_residual=False)
