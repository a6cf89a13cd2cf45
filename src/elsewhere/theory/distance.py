"""D8: the counterfactual pseudo-metric between two ILDs."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.bijections import push
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.theory.equivalence import affine_observations, counterfactual_maps, reordered
from elsewhere.theory.verdict import check_comparable


@dataclass(frozen=True)
class Distance:
    """d_C with its Monte-Carlo standard error (0 where it is a closed form)."""

    value: float
    standard_error: float
    num_points: int
    exact: bool


def counterfactual_distance(
    key: PRNGKeyArray, reference: ILD, other: ILD, *, num_points: int = 2_000
) -> Distance:
    """d_C = sqrt(E_{p(x,d)p(d')} ‖x_{d→d'} − x'_{d→d'}‖²), x from `reference`, domains uniform.

    `num_points` rows are drawn for each domain; the closed form is used where both are linear.
    """
    check_comparable(reference, other)
    one, two = (counterfactual_maps(model, reference.domains) for model in (reference, other))
    if one is not None and two is not None:
        return Distance(_exact_square(reference, one - two) ** 0.5, 0.0, 0, True)
    squares = _sampled_squares(key, reference, other, num_points)
    mean = squares.mean()
    by_noise = squares.mean(axis=(0, 1))  # the domains share their noise, so rows are the draws
    error = by_noise.std(ddof=1) / jnp.sqrt(num_points) / jnp.maximum(2 * jnp.sqrt(mean), 1e-30)
    return Distance(float(jnp.sqrt(mean)), float(error), num_points, False)


def _exact_square(reference: ILD, gap: Float[np.ndarray, "D D m m_plus_1"]) -> float:
    """mean over d, d' of E‖T x + t‖² = ‖T A_d‖² + ‖T b_d + t‖² for x = A_d ε + b_d."""
    parts = affine_observations(reference, reference.domains)
    assert parts is not None
    T, t = gap[..., :-1], gap[..., -1]
    spread = np.einsum("deij,djk->deik", T, parts[0])
    shift = np.einsum("deij,dj->dei", T, parts[1]) + t
    return float((spread**2).sum((2, 3)).mean() + (shift**2).sum(2).mean())


def _sampled_squares(
    key: PRNGKeyArray, reference: ILD, other: ILD, n: int
) -> Float[Array, "D D n"]:
    """‖x_{d→d'} − x'_{d→d'}‖² for n rows of every d."""
    eps = jax.random.normal(key, (n, reference.m), reference.dtype)
    x = jnp.stack([push(reference.mixing, push(f, eps)) for f in reference.scms])
    gap = move_all(reference, x) - move_all(reordered(other, reference.domains), x)
    return (gap**2).sum(-1)
