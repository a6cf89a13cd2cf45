"""D8: the counterfactual pseudo-metric between two ILDs."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.bijections import push
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.theory.closed_forms import Observations, affine_model
from elsewhere.theory.equivalence import reordered
from elsewhere.theory.rounding import balanced_inverse
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
    one, two = (affine_model(model, reference.domains) for model in (reference, other))
    if one is not None and two is not None:
        return Distance(_exact_square(one, two) ** 0.5, 0.0, 0, True)
    squares = _sampled_squares(key, reference, other, num_points)
    mean = squares.mean()
    by_noise = squares.mean(axis=(0, 1))  # the domains share their noise, so rows are the draws
    error = by_noise.std(ddof=1) / jnp.sqrt(num_points) / jnp.maximum(2 * jnp.sqrt(mean), 1e-30)
    return Distance(float(jnp.sqrt(mean)), float(error), num_points, False)


def _exact_square(reference: Observations, other: Observations) -> float:
    """mean over d, d' of ‖A_d' − B_d' W_d‖² + ‖b_d' − B_d' w_d − b'_d'‖².

    W_d ε + w_d is the noise that `other` reads off x = A_d ε + b_d.
    """
    inverses = np.stack([balanced_inverse(B) for B in other.A])
    W = inverses @ reference.A
    w = np.einsum("dij,dj->di", inverses, reference.b - other.b)
    spread = reference.A[None] - np.einsum("eij,djk->deik", other.A, W)
    shift = (reference.b - other.b)[None] - np.einsum("eij,dj->dei", other.A, w)
    return float((spread**2).sum((2, 3)).mean() + (shift**2).sum(2).mean())


def _sampled_squares(
    key: PRNGKeyArray, reference: ILD, other: ILD, n: int
) -> Float[Array, "D D n"]:
    """‖x_{d→d'} − x'_{d→d'}‖² for n rows of every d."""
    eps = jax.random.normal(key, (n, reference.m), reference.dtype)
    x = jnp.stack([push(reference.mixing, push(f, eps)) for f in reference.scms])
    gap = move_all(reference, x) - move_all(reordered(other, reference.domains), x)
    return (gap**2).sum(-1)
