"""The evidence lower bound of an encoder, a decoder and one linear SCM per domain."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection
from jax.scipy.stats import norm
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.fitting.gradient.model import Parameters, Sharing, Statics, stacked_scms
from elsewhere.fitting.pseudo.model import Coder

Cube = Float[Array, "p D n"]


class PseudoConstants(NamedTuple):
    """What the gradient does not move: all but the arrays, what is shared, the key of the draws."""

    fixed: Statics
    share: Sharing
    key: PRNGKeyArray


def elbo(params: Parameters, given: PseudoConstants, x: Cube, step: Array) -> Float[Array, ""]:
    """Mean over domains and rows of E_q log p(x | ε) − KL(q(ε | x) ‖ N(0, I)), in nats."""
    return row_elbos(params, given, x, step).mean()


def judge(params: Parameters, given: PseudoConstants, valid: Cube) -> Float[Array, ""]:
    """The bound of the held-out rows, always with the same draws."""
    return elbo(params, given, valid, jnp.asarray(2**30))


def row_elbos(
    params: Parameters, given: PseudoConstants, x: Cube, step: Array
) -> Float[Array, "D n"]:
    """log N(x; g(f_d(ε)), σ² I) − KL for one draw ε ~ q(ε | x, d) = N(f_d⁻¹(g⁺(x)), diag s²)."""
    coder, scms = assembled(params, given)
    z, log_sd = (_by_domain(a, x) for a in coder.posterior(x.reshape(len(x), -1)))
    mean = _each(scms, "inverse", z)
    draw = jax.random.normal(jax.random.fold_in(given.key, step), mean.shape, mean.dtype)
    z = _each(scms, "transform", mean + jnp.exp(log_sd) * draw)
    fitted = coder.decode(z.reshape(len(z), -1)).reshape(x.shape)
    likelihood = norm.logpdf(x, fitted, coder.noise).sum(0)
    divergence = 0.5 * (mean**2 + jnp.exp(2 * log_sd) - 1 - 2 * log_sd).sum(0)
    return likelihood - divergence


def assembled(params: Parameters, given: PseudoConstants) -> tuple[Coder, AbstractBijection]:
    """(g⁺ and g, f with its arrays stacked over domains)."""
    coder = eqx.combine(params.mixing, given.fixed[0])
    return coder, stacked_scms(params, given.fixed[1], given.share)


def _by_domain(columns: Float[Array, "q N"], x: Cube) -> Float[Array, "q D n"]:
    return columns.reshape(len(columns), *x.shape[1:])


def _each(scms: eqx.Module, way: str, z: Float[Array, "q D n"]) -> Float[Array, "q D n"]:
    """f_d or its inverse on the columns of every domain d."""

    def one(f: eqx.Module, columns: Float[Array, "q n"]) -> Float[Array, "q n"]:
        return jax.vmap(getattr(f, way), 1, 1)(columns)

    return eqx.filter_vmap(one, in_axes=(eqx.if_array(0), 1), out_axes=1)(scms, z)
