"""The paper's simulations: a random ground truth, its data and its counterfactuals."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from elsewhere.bijections import compose, push
from elsewhere.draws import generator
from elsewhere.mixing import leaky_linear, linear, real_nvp
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.scm import LinearSCM

Bias = Literal["printed", "sparse"]
Mixing = Literal["leaky", "real_nvp", "linear", "smooth"]
KINKED = ("leaky", "real_nvp")


@dataclass(frozen=True)
class DomainData:
    """x ~ p_d for every d, in three splits, with the truth and its answers on the test rows.

    `counterfactuals[d, d']` holds x_{d→d'} of the rows `test[d]`; on its diagonal, those rows.
    """

    truth: ILD
    train: Float[Array, "D train m"]
    valid: Float[Array, "D valid m"]
    test: Float[Array, "D test m"]
    counterfactuals: Float[Array, "D D test m"]


def simulated_truth(
    key: PRNGKeyArray,
    m: int,
    num_domains: int,
    intervened: Collection[int],
    *,
    bias: Bias = "printed",
    mixing: Mixing = "leaky",
    couplings: int = 4,
) -> ILD:
    """x = G (LeakyReLU(z) − μ)/σ, z = (I − L_d)⁻¹ ε + b_d 1_I: the truth of the simulations.

    L_d is strictly lower triangular with N(0, 1) entries; its rows in I are drawn per domain, the
    others once. b_d ~ Uniform(±2 √(m/|I|)) is one number per domain. G is Gaussian, rescaled to
    |det G| = 1. μ and σ pool the domains, estimated on 100,000 rows of each.

    Args:
        key: determines the whole truth.
        m: the latent dimension.
        num_domains: how many f_d to draw.
        intervened: I, the 0-based mechanisms that differ between domains.
        bias: "printed" adds b_d 1_I after (I − L_d)⁻¹, as the paper writes; a shared mechanism
            downstream of I then has its own bias in each domain. "sparse" adds it before,
            z = (I − L_d)⁻¹ (ε + b_d 1_I), so that only the mechanisms in I ever differ.
        mixing: "leaky" as above; "real_nvp" replaces G by `couplings` affine couplings, each
            followed by a permutation. The paper gives no law for their weights nor for the bias
            after the rectifier: the weights are the networks' usual random initial ones, and the
            bias is the standardisation, which keeps the networks' inputs, hence x, near scale 1.
            "linear" and "smooth" are these two without the rectifier: nothing there fixes the axes.
        couplings: the number of affine couplings of "real_nvp" and "smooth".
    """
    _check_choices(m, num_domains, intervened, bias, mixing)
    rng = generator(key)
    weights, biases = _draw_mechanisms(rng, num_domains, _rows(m, intervened), bias)
    slope = 0.5 if mixing in KINKED else 1.0
    mean, sd = _rectified_moments(rng, weights, biases, slope)
    scms = [LinearSCM(L, jnp.ones(m), c) for L, c in zip(*_floats(weights, biases), strict=True)]
    bend = leaky_linear if mixing in KINKED else linear
    if mixing in ("leaky", "linear"):
        G = unit_determinant(rng, m) / sd
        return ILD(bend(*_floats(G, -G @ mean)), scms)
    flow = real_nvp(jax.random.fold_in(key, 0), m, couplings=couplings)
    return ILD(compose(flow, bend(*_floats(np.diag(1 / sd), -mean / sd))), scms)


def simulate(
    key: PRNGKeyArray,
    truth: ILD,
    *,
    train: int = 100_000,
    valid: int = 1_000,
    test: int = 1_000,
) -> DomainData:
    """x = g(f_d(ε)), ε ~ N(0, I_m): this many rows of every domain in each split."""
    if min(train, valid, test) < 1:
        raise ValueError(f"every split needs at least 1 row; got {train=}, {valid=}, {test=}.")
    rngs = [generator(k) for k in jax.random.split(key, 3)]
    sizes = zip(rngs, (train, valid, test), strict=True)
    x_train, x_valid, x_test = (_sample(rng, truth, n) for rng, n in sizes)
    return DomainData(truth, x_train, x_valid, x_test, move_all(truth, x_test))


def unit_determinant(rng: np.random.Generator, m: int) -> Float[np.ndarray, "m m"]:
    """G / |det G|^(1/m), G with N(0, 1) entries."""
    G = rng.standard_normal((m, m))
    return G * np.exp(-np.linalg.slogdet(G)[1] / m)


def _draw_mechanisms(
    rng: np.random.Generator, num_domains: int, rows: Bool[np.ndarray, " m"], bias: Bias
) -> tuple[Float[np.ndarray, "D m m"], Float[np.ndarray, "D m"]]:
    m, bound = len(rows), 2 * np.sqrt(len(rows) / max(rows.sum(), 1))
    shared, specific = rng.standard_normal((m, m)), rng.standard_normal((num_domains, m, m))
    weights = np.tril(np.where(rows[:, None], specific, shared), -1)
    shifts = rng.uniform(-bound, bound, (num_domains, 1)) * rows
    if bias == "printed":  # b outside the inverse is c = (I − L) b inside the mechanisms
        shifts = shifts - np.einsum("dij,dj->di", weights, shifts)
    return weights, shifts


def _rectified_moments(
    rng: np.random.Generator,
    weights: Float[np.ndarray, "D m m"],
    biases: Float[np.ndarray, "D m"],
    slope: float,
    n: int = 100_000,
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    noise = rng.standard_normal((len(weights), n, biases.shape[1])) + biases[:, None]
    z = noise @ np.linalg.inv(np.eye(biases.shape[1]) - weights).mT
    y = np.where(z < 0, slope * z, z)
    return y.mean((0, 1)), y.std((0, 1))


def _floats(a: np.ndarray, b: np.ndarray) -> tuple[Array, Array]:
    return jnp.asarray(a, float), jnp.asarray(b, float)


def _sample(rng: np.random.Generator, truth: ILD, n: int) -> Float[Array, "D n m"]:
    eps = jnp.asarray(rng.standard_normal((truth.num_domains, n, truth.m)), truth.dtype)
    z = [push(f, noise) for f, noise in zip(truth.scms, eps, strict=True)]
    return jnp.stack([push(truth.mixing, rows) for rows in z])


def _rows(m: int, intervened: Collection[int]) -> Bool[np.ndarray, " m"]:
    return np.isin(np.arange(m), list(intervened))


def _check_choices(
    m: int, num_domains: int, intervened: Collection[int], bias: str, mixing: str
) -> None:
    if min(m, num_domains) < 1:
        raise ValueError(f"m and num_domains must be at least 1; got {m=}, {num_domains=}.")
    if outside := sorted(set(intervened) - set(range(m))):
        raise ValueError(f"intervened must lie in 0..{m - 1}, counted from 0; got {outside}.")
    for name, value, kind in (("bias", bias, Bias), ("mixing", mixing, Mixing)):
        if value not in get_args(kind):
            raise ValueError(f"{name} must be one of {get_args(kind)}; got {value!r}.")
