"""The mechanisms of one domain by themselves, once g is known."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from elsewhere.bijections import pull_and_log_det
from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.moments import closed_form, moments_of
from elsewhere.model import ILD

FOLDS = 5


def latents(
    model: ILD, rows: Float[np.ndarray, "n m"]
) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, " n"]]:
    """z = g⁻¹(x) and log|det ∂z/∂x|, in float64."""
    z, log_det = pull_and_log_det(model.mixing, jnp.asarray(rows, model.dtype))
    return np.asarray(z, float), np.asarray(log_det, float)


def new_mechanisms(
    mechanisms: Mechanisms, kinds: Int[np.ndarray, " m"], z: Float[np.ndarray, "n m"]
) -> Mechanisms:
    """The mechanisms of a domain with latents z: its own where they differ, else the shared."""
    fitted = closed_form(moments_of([z]), np.full(z.shape[1], OWN))
    shared, one_scale = kinds == SHARED, kinds != OWN
    return Mechanisms(
        np.where(shared[:, None], mechanisms.weights[:1], fitted.weights),
        np.where(one_scale, mechanisms.scales[:1], fitted.scales),
        np.where(shared, mechanisms.biases[:1], fitted.biases),
    )


def noise_log_density(
    mechanisms: Mechanisms, z: Float[np.ndarray, "n m"]
) -> Float[np.ndarray, " n"]:
    """log N(ε; 0, I) − Σ log s: the log-density of the latents z of one domain."""
    eps = (z - z @ mechanisms.weights[0].T - mechanisms.biases[0]) / mechanisms.scales[0]
    constant = np.log(np.abs(mechanisms.scales[0])).sum() + 0.5 * z.shape[1] * np.log(2 * np.pi)
    return -0.5 * (eps**2).sum(axis=1) - constant


def cross_fitted(
    mechanisms: Mechanisms, kinds: Int[np.ndarray, " m"], z: Float[np.ndarray, "n m"]
) -> Float[np.ndarray, " n"]:
    """log-density of every row under mechanisms fitted to the other folds."""
    values = np.empty(len(z))
    for part in folds(len(z)):
        others = np.delete(z, part, axis=0)
        values[part] = noise_log_density(new_mechanisms(mechanisms, kinds, others), z[part])
    return values


def folds(n: int) -> list[Int[np.ndarray, " _"]]:
    """0..n−1 in 5 parts, in an order that does not depend on that of the rows."""
    return np.array_split(np.random.default_rng(0).permutation(n), FOLDS)
