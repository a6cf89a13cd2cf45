"""The invertible latent domain causal model (ILD)."""

from collections.abc import Hashable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jax.scipy.stats import norm
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.arrays import AnyArray
from elsewhere.bijections import pull, pull_and_log_det, push
from elsewhere.bijections.in_numpy import in_numpy
from elsewhere.errors import DomainError
from elsewhere.plain_maps import InNumpy


class ILD(eqx.Module):
    """(g, {f_d}): x = g(f_d(ε)), ε ~ N(0, I_m); g shared by all domains, one SCM f_d for each.

    Args:
        mixing: g: z → x, any bijection of shape (m,).
        scms: f_d: ε → z, one autoregressive bijection of shape (m,) per domain.
        domains: the domains' names, in the order of `scms`; 0, 1, … when left out.

    `log_prob` acts on one unbatched point, to be `jax.vmap`ped; `move`, `noise`, `made` and
    `log_density` act on rows.
    """

    mixing: AbstractBijection
    scms: tuple[AbstractBijection, ...]
    domains: tuple[Hashable, ...] = eqx.field(static=True)

    def __init__(
        self,
        mixing: AbstractBijection,
        scms: Sequence[AbstractBijection],
        domains: Sequence[Hashable] | None = None,
    ):
        self.mixing, self.scms = mixing, tuple(scms)
        names = range(len(self.scms)) if domains is None else domains
        self.domains = tuple(d.item() if isinstance(d, np.generic) else d for d in names)

    def __check_init__(self) -> None:
        """One name per domain, one dimension throughout."""
        if not self.scms:
            raise ValueError("scms must hold at least one domain; got none.")
        if len(self.domains) != len(self.scms) or len(set(self.domains)) != len(self.domains):
            raise ValueError(
                f"domains must name each of the {len(self.scms)} SCMs once; got {self.domains}."
            )
        shapes = {self.mixing.shape, *(f.shape for f in self.scms)}
        if len(shapes) > 1 or len(self.mixing.shape) != 1:
            raise ValueError(
                "mixing and scms must all have the same shape (m,), for g and f_d are bijections "
                f"of one space; got {sorted(shapes)}."
            )

    @property
    def m(self) -> int:
        """The latent dimension."""
        return self.mixing.shape[0]

    @property
    def num_domains(self) -> int:
        """How many domains the model has."""
        return len(self.scms)

    def scm(self, d: Hashable) -> AbstractBijection:
        """f_d of the domain named d."""
        if d not in self.domains:
            raise DomainError(
                f"domain {d!r} does not exist in this model; its domains are {list(self.domains)}."
            )
        return self.scms[self.domains.index(d)]

    def log_prob(self, x: Float[Array, " m"], *, d: Hashable) -> Float[Array, ""]:
        """log p_d(x) = log N(f_d⁻¹(g⁻¹(x)); 0, I) + log|det J of f_d⁻¹∘g⁻¹ at x|."""
        z, log_det_g = self.mixing.inverse_and_log_det(x)
        eps, log_det_f = self.scm(d).inverse_and_log_det(z)
        return norm.logpdf(eps).sum() + log_det_g + log_det_f

    def sample(self, key: PRNGKeyArray, n: int, *, d: Hashable) -> Float[Array, "n m"]:
        """x = g(f_d(ε)) for n draws of ε ~ N(0, I_m)."""
        scm = self.scm(d)
        eps = jax.random.normal(key, (n, self.m), self.dtype)
        return jax.vmap(lambda e: self.mixing.transform(scm.transform(e)))(eps)

    def move(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[Array, "n m"]:
        """x_{d→d'} of many rows, compiled once for every structure and shape."""
        return self.made(self.noise(x, d=d), d=d_prime)

    def plain_move(self, *, d: Hashable, d_prime: Hashable) -> InNumpy | None:
        """`move` as few matrices in NumPy, in float64; None where not all is affine or leaky."""
        g = self.mixing
        return in_numpy([(g, True), (self.scm(d), True), (self.scm(d_prime), False), (g, False)])

    def plain_noise(self, *, d: Hashable) -> InNumpy | None:
        """`noise` likewise."""
        return in_numpy([(self.mixing, True), (self.scm(d), True)])

    def noise(self, x: Float[AnyArray, "n m"], *, d: Hashable) -> Float[Array, "n m"]:
        """ε = f_d⁻¹(g⁻¹(x)) of many rows."""
        return pull(self.scm(d), pull(self.mixing, jnp.asarray(x)))

    def made(self, eps: Float[AnyArray, "n m"], *, d: Hashable) -> Float[Array, "n m"]:
        """x = g(f_d(ε)) of many rows of noise."""
        return push(self.mixing, push(self.scm(d), jnp.asarray(eps)))

    def log_density(self, x: Float[AnyArray, "n m"], *, d: Hashable) -> Float[Array, " n"]:
        """log p_d(x) = log N(ε; 0, I) + log|det ∂ε/∂x| of many rows."""
        z, log_det_g = pull_and_log_det(self.mixing, jnp.asarray(x))
        eps, log_det_f = pull_and_log_det(self.scm(d), z)
        return norm.logpdf(eps).sum(axis=-1) + log_det_g + log_det_f

    @property
    def dtype(self) -> jnp.dtype:
        """The floating type of the model's parameters."""
        leaves = [a.dtype for a in jax.tree.leaves(self) if eqx.is_inexact_array(a)]
        return jnp.result_type(*leaves) if leaves else jnp.zeros(()).dtype
