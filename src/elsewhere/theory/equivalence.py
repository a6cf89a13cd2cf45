"""D6, D7: when two ILDs have the same distributions, and when the same counterfactuals."""

import jax.numpy as jnp
import numpy as np
from flowjax.bijections import Chain
from jaxtyping import Array, Float

from elsewhere.bijections import as_affine, push
from elsewhere.model import ILD
from elsewhere.queries import log_prob_rows, move_all
from elsewhere.theory.verdict import (
    NUM_POINTS,
    Verdict,
    check_comparable,
    judge,
    probe_noise,
    relative_gap,
    rounding,
)


def distributionally_equivalent(
    a: ILD, b: ILD, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Verdict:
    """(g, F) ≃_D (g', F') ⇔ p_d = p'_d for all d.

    The gap is the largest |log p_d(x) − log p'_d(x)| at points of both models; where both are
    linear, the largest relative difference between their means and covariances.
    """
    check_comparable(a, b)
    statement = "distributionally equivalent"
    gap = _moment_gap(a, b)
    if gap is not None:
        return judge(statement, gap, tolerance or rounding(a.dtype, exact=True), 0)
    x = _points(a, b, num_points)
    gaps = jnp.abs(_log_probs(a, a.domains, x) - _log_probs(b, a.domains, x))
    limit = tolerance or rounding(a.dtype, exact=False)
    return judge(statement, float(gaps.max()), limit, num_points)


def counterfactually_equivalent(
    a: ILD, b: ILD, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Verdict:
    """(g, F) ≃_C (g', F') ⇔ g∘f_d'∘f_d⁻¹∘g⁻¹ = g'∘f'_d'∘f'_d⁻¹∘g'⁻¹ for all d, d'.

    The gap is the largest difference of a counterfactual, relative to the largest coordinate.
    """
    check_comparable(a, b)
    statement = "counterfactually equivalent"
    maps_a, maps_b = (counterfactual_maps(model, a.domains) for model in (a, b))
    if maps_a is not None and maps_b is not None:
        limit = tolerance or rounding(a.dtype, exact=True)
        return judge(statement, relative_gap(maps_a, maps_b), limit, 0)
    x = _points(a, b, num_points)
    rows = jnp.broadcast_to(x, (a.num_domains, *x.shape))
    gap = relative_gap(move_all(a, rows), move_all(reordered(b, a.domains), rows))
    return judge(statement, gap, tolerance or rounding(a.dtype, exact=False), num_points)


def counterfactual_maps(model: ILD, domains: tuple) -> Float[np.ndarray, "D D m m_plus_1"] | None:
    """(T, t) with x_{d→d'} = T x + t for every pair, or None where the model is not linear."""
    parts = affine_observations(model, domains)
    if parts is None:
        return None
    A, b = parts
    T = np.einsum("eij,djk->deik", A, np.linalg.inv(A))
    t = b[None] - np.einsum("deij,dj->dei", T, b)
    return np.concatenate([T, t[..., None]], axis=-1)


def affine_observations(
    model: ILD, domains: tuple
) -> tuple[Float[np.ndarray, "D m m"], Float[np.ndarray, "D m"]] | None:
    """(A_d, b_d) with g(f_d(ε)) = A_d ε + b_d, or None where the model is not linear."""
    parts = [as_affine(Chain([model.scm(d), model.mixing])) for d in domains]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return np.stack([A for A, _ in known]), np.stack([b for _, b in known])


def reordered(model: ILD, domains: tuple) -> ILD:
    """The same model with its domains in the given order."""
    return ILD(model.mixing, [model.scm(d) for d in domains], domains)


def _points(a: ILD, b: ILD, n: int) -> Float[Array, "N m"]:
    """n points in all, spread over the domains of both models."""
    eps = probe_noise(max(1, n // (2 * a.num_domains)), a.m)
    latents = [jnp.concatenate([push(f, eps) for f in model.scms]) for model in (a, b)]
    return jnp.concatenate([push(a.mixing, latents[0]), push(b.mixing, latents[1])])


def _log_probs(model: ILD, domains: tuple, x: Float[Array, "n m"]) -> Float[Array, "D n"]:
    return jnp.stack([log_prob_rows(model, x, d=d) for d in domains])


def _moment_gap(a: ILD, b: ILD) -> float | None:
    maps_a, maps_b = (affine_observations(model, a.domains) for model in (a, b))
    if maps_a is None or maps_b is None:
        return None
    cov_a, cov_b = (A @ np.swapaxes(A, 1, 2) for A, _ in (maps_a, maps_b))
    scale = np.sqrt(np.diagonal(cov_a, axis1=1, axis2=2))
    mean_gap = np.abs((maps_a[1] - maps_b[1]) / scale).max()
    return float(max(mean_gap, relative_gap(cov_a, cov_b)))
