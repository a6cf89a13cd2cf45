"""The paper's leaky model as printed: arrays, likelihood, and its ILD."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from elsewhere.mixing import leaky_linear
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM

SLOPE = 0.5


class PaperParameters(NamedTuple):
    """x = G LeakyReLU(z) + b, z = (I − L_d)⁻¹ S_d ε + b_d; a shared row is read from domain 0."""

    G: Float[Array, "m m"]
    b: Float[Array, " m"]
    L: Float[Array, "D m m"]
    S: Float[Array, "D m"]
    b_d: Float[Array, "D m"]


def paper_start(key: PRNGKeyArray, m: int, num_domains: int) -> PaperParameters:
    """G = I, b = 0, and L_d, S_d, b_d with N(0, 1) entries: S_d may have either sign.

    The paper says that f is "randomly initialized" and gives no law; N(0, 1) is its data's law.
    """
    keys, D = jax.random.split(key, 3), num_domains
    L, S, b_d = (
        jax.random.normal(a, shape)
        for a, shape in zip(keys, ((D, m, m), (D, m), (D, m)), strict=True)
    )
    return PaperParameters(jnp.eye(m), jnp.zeros(m), L, S, b_d)


def tied(params: PaperParameters, rows: Bool[Array, " m"]) -> PaperParameters:
    """The parameters with every row that is not `rows` taken from domain 0."""
    keep = lambda a: jnp.where(rows.reshape(-1, *[1] * (a.ndim - 2)), a, a[:1])  # noqa: E731
    return params._replace(L=keep(params.L), S=keep(params.S), b_d=keep(params.b_d))


def noise(
    params: PaperParameters, rows: Bool[Array, " m"], x: Float[Array, "m D n"]
) -> tuple[Float[Array, "D m n"], Float[Array, "m D n"], Float[Array, ""]]:
    """(ε, u, log|det ∂ε/∂z| − log|det G|), u = G⁻¹(x − b); rows innermost, for speed."""
    p, m = tied(params, rows), len(x)
    u = (jnp.linalg.inv(p.G) @ (x.reshape(m, -1) - p.b[:, None])).reshape(x.shape)
    z = jnp.where(u < 0, u / SLOPE, u)
    A = (jnp.eye(m, dtype=x.dtype) - jnp.tril(p.L, -1)) / p.S[..., None]
    eps = jnp.einsum("dij,jdn->din", A, z - p.b_d.T[..., None])
    log_det = -jnp.log(jnp.abs(p.S)).sum(-1).mean() - jnp.linalg.slogdet(p.G)[1]
    return eps, u, log_det


def training_loss(
    params: PaperParameters, rows: Bool[Array, " m"], x: Float[Array, "m D n"]
) -> Float[Array, ""]:
    """−mean log p_d(x) up to the kink's term and a constant, whose plain gradients are zero."""
    eps, _, log_det = noise(params, rows, x)
    return 0.5 * jnp.square(eps).sum(1).mean() - log_det


def log_likelihood(
    params: PaperParameters, rows: Bool[Array, " m"], x: Float[Array, "m D n"]
) -> Float[Array, ""]:
    """mean over domains of mean log p_d(x), exact."""
    kinked = (noise(params, rows, x)[1] < 0).sum(0).mean() * np.log(1 / SLOPE)
    return -training_loss(params, rows, x) + kinked - 0.5 * len(x) * np.log(2 * np.pi)


def paper_ild(params: PaperParameters, rows: Bool[Array, " m"], domains: list) -> ILD:
    """The ILD of the parameters: c_d = (I − L_d) b_d moves the bias inside the mechanisms."""
    p = tied(params, rows)
    weights = jnp.tril(p.L, -1)
    biases = p.b_d - jnp.einsum("dij,dj->di", weights, p.b_d)
    scms = [LinearSCM(*parts) for parts in zip(weights, p.S, biases, strict=True)]
    return ILD(leaky_linear(p.G, p.b, SLOPE), scms, domains)
