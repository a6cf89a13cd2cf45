"""−Σ_j log s_j as a function of the latents' moments, and its slopes, in NumPy or JAX."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Shaped

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED

Either = Any  # an array of NumPy or of JAX
Factored = Callable[[Either], tuple[Either, Either]]


class OfMoments(NamedTuple):
    """−Σ_j log s_j of every fit, and its slopes in E_d[z] and Cov_d(z)."""

    values: Shaped[Either, " R"]
    by_means: Shaped[Either, "D R m"]
    by_within: Shaped[Either, "D R m m"]


def of_moments(
    means: Shaped[Either, "D R m"],
    within: Shaped[Either, "D R m m"],
    kinds: Shaped[Either, "R 3 m"],
    xp: ModuleType,
    factored: Factored,
) -> OfMoments:
    """∂ log s_j/∂Cov = ½ f_j f_jᵀ, with f_j the j-th row of F⁻¹ and F Fᵀ = Cov.

    Args:
        means: E_d[z].
        within: Cov_d(z), to which those over all domains are added.
        kinds: one-hot in its second axis: mechanism j shared by all domains; each domain's own;
            or its own weights and bias with one noise scale for all.
        xp: numpy or jax.numpy.
        factored: Cov ↦ (F, F⁻¹).
    """
    D = len(means)
    shifts = means - means.mean(axis=0)
    pooled = within.mean(axis=0) + xp.einsum("dri,drj->rij", shifts, shifts) / D
    factors, inverses = factored(xp.concatenate([pooled[None], within]))
    log_scales = xp.log(xp.diagonal(factors, axis1=-2, axis2=-1))
    total, weights = _log_scale_sum(log_scales, kinds, xp)
    slopes = -0.5 * inverses.mT @ (weights[..., None] * inverses)
    by_pooled = slopes[0] / D
    by_means = 2 * xp.einsum("rij,drj->dri", by_pooled, shifts)
    return OfMoments(-total, by_means, slopes[1:] + by_pooled)


def factored_or_nan(
    covariances: Float[np.ndarray, "*R m m"],
) -> tuple[Float[np.ndarray, "*R m m"], Float[np.ndarray, "*R m m"]]:
    """F and F⁻¹ with F Fᵀ = Cov; NaN where a covariance has no such factor."""
    try:
        factors = np.linalg.cholesky(covariances)
        return factors, np.linalg.inv(factors)
    except np.linalg.LinAlgError:
        if covariances.ndim == 2:
            return np.full_like(covariances, np.nan), np.full_like(covariances, np.nan)
        parts = zip(*map(factored_or_nan, covariances), strict=True)
        factors, inverses = map(np.stack, parts)
        return factors, inverses


def log_det_and_slopes(
    W: Float[np.ndarray, "R m m"],
) -> tuple[Float[np.ndarray, " R"], Float[np.ndarray, "R m m"]]:
    """log|det W| and W⁻ᵀ; −∞ and NaN where W is singular."""
    log_det = np.linalg.slogdet(W)[1]
    singular = ~np.isfinite(log_det)[:, None, None]
    inverse = np.linalg.inv(np.where(singular, np.eye(W.shape[-1]), W))
    return log_det, np.where(singular, np.nan, inverse).swapaxes(1, 2)


def _log_scale_sum(
    log_scales: Shaped[Either, "E R m"], kinds: Shaped[Either, "R 3 m"], xp: ModuleType
) -> tuple[Shaped[Either, " R"], Shaped[Either, "E R m"]]:
    """Σ_j log s_j as its kind has it, and its slope in every log s_dj, the pooled ones first."""
    pooled, own = log_scales[0], log_scales[1:]
    squares = xp.exp(2 * own)
    mean = squares.mean(axis=0)
    shared, by_domain, one_scale = (kinds[:, kind] for kind in (SHARED, OWN, OWN_BUT_SCALE))
    all_kinds = shared * pooled + by_domain * own.mean(axis=0) + one_scale * 0.5 * xp.log(mean)
    by_own = (by_domain + one_scale * squares / mean) / len(own)
    return all_kinds.sum(axis=-1), xp.concatenate([shared[None], by_own])
