"""D6, D7: when two ILDs have the same distributions, and when the same counterfactuals."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.model import ILD
from elsewhere.theory.closed_forms import Observations, affine_model
from elsewhere.theory.rounding import SLACK, balanced_inverse, coarsest_eps, row_sizes
from elsewhere.theory.search import NUM_POINTS, largest_differences, probe_noise
from elsewhere.theory.verdict import Verdict, check_comparable, judge, judge_found

_DISTRIBUTION = "distributionally equivalent"
_COUNTERFACTUAL = "counterfactually equivalent"


def distributionally_equivalent(
    a: ILD, b: ILD, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Verdict:
    """(g, F) ≃_D (g', F') ⇔ p_d = p'_d for all d.

    The gap is the largest |log p_d(x) − log p'_d(x)| found, at x of domain d in either model.
    Where both are linear it is the largest difference of means, in deviations along any
    direction, or of variances along any direction, relative to them.
    """
    check_comparable(a, b)
    one, two = (affine_model(model, a.domains) for model in (a, b))
    if one is not None and two is not None:
        moved = SLACK * coarsest_eps(a, b) * float((one.kappa + two.kappa).max())
        rounding = moved * (1 + moved)  # noise off by E has the covariance I + E + Eᵀ + E Eᵀ
        return judge(_DISTRIBUTION, _moment_gap(one, two), tolerance, rounding)
    found = largest_differences(
        _log_prob_gaps, (a, b), a.m, num_points=num_points, tolerance=tolerance
    )
    return judge_found(_DISTRIBUTION, found)


def counterfactually_equivalent(
    a: ILD, b: ILD, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Verdict:
    """(g, F) ≃_C (g', F') ⇔ g∘f_d'∘f_d⁻¹∘g⁻¹ = g'∘f'_d'∘f'_d⁻¹∘g'⁻¹ for all d, d'.

    That is so iff e_d = f'_d⁻¹∘g'⁻¹∘g∘f_d is the same for all d: out of its own answer b reads
    the noise e_d(ε), out of a's answer e_d'(ε). The gap is the largest difference between the two,
    in deviations of that noise; a and b then change places.
    """
    check_comparable(a, b)
    one, two = (affine_model(model, a.domains) for model in (a, b))
    if one is not None and two is not None:
        gap, kappa = _noise_gap(one, two)
        return judge(_COUNTERFACTUAL, gap, tolerance, SLACK * coarsest_eps(a, b) * kappa)
    models = (a, reordered(b, a.domains))
    both = (*models, *_centre_and_scale(models))
    found = largest_differences(
        _noise_differences, both, a.m, num_points=num_points, tolerance=tolerance
    )
    return judge_found(_COUNTERFACTUAL, found)


def reordered(model: ILD, domains: tuple) -> ILD:
    """The same model with its domains in the given order."""
    return ILD(model.mixing, [model.scm(d) for d in domains], domains)


def _moment_gap(a: Observations, b: Observations) -> float:
    """max over d of ‖W Wᵀ − I‖ and ‖w‖, W ε + w the noise that one reads off the other's x."""
    gaps = [0.0]
    for one, two in ((a, b), (b, a)):
        W, w = _read_noise(one, two)
        covariance = W @ np.swapaxes(W, 1, 2) - np.eye(W.shape[-1])
        gaps += [*np.linalg.norm(covariance, 2, (1, 2)), *np.linalg.norm(w, axis=1)]
    return float(np.max(gaps))


def _noise_gap(a: Observations, b: Observations) -> tuple[float, float]:
    """(gap, κ): the largest difference of a row of e_d and e_1, over its length, and its loss."""
    gaps, losses = [0.0], []
    for one, two in ((a, b), (b, a)):
        W, w = _read_noise(one, two)
        sizes = row_sizes(W)
        scale = np.maximum(sizes, sizes[:1])
        gaps.append((np.sqrt(((W - W[:1]) ** 2).sum(-1) + (w - w[:1]) ** 2) / scale).max())
        largest = (np.linalg.norm(W, 2, (1, 2)) + np.linalg.norm(w, axis=1))[:, None]
        losses.append((one.kappa[:, None] + two.kappa[:, None] * largest / scale).max())
    return float(np.max(gaps)), 2 * float(np.max(losses))


def _read_noise(
    one: Observations, two: Observations
) -> tuple[Float[np.ndarray, "D m m"], Float[np.ndarray, "D m"]]:
    """(W_d, w_d) with e_d(ε) = W_d ε + w_d the noise that `two` reads off x of `one`."""
    inverses = np.stack([balanced_inverse(A) for A in two.A])
    return inverses @ one.A, np.einsum("dij,dj->di", inverses, one.b - two.b)


def _log_prob_gaps(models: tuple[ILD, ILD], eps: Float[Array, " m"]) -> Float[Array, " c"]:
    """log p_d(x) − log p'_d(x), x = g(f_d(ε)) of either model: one component each."""
    a, b = models

    def gap(d: object, source: ILD) -> Array:
        x = source.mixing.transform(source.scm(d).transform(eps))  # type: ignore[arg-type]
        return a.log_prob(x, d=d) - b.log_prob(x, d=d)  # type: ignore[arg-type]

    return jnp.stack([gap(d, source) for d in a.domains for source in (a, b)])


def _noise_differences(models: tuple, eps: Float[Array, " m"]) -> Float[Array, "D c"]:
    """(e_d(ε) − e_1(ε)) / (deviation + distance from the centre), for both roles of a and b."""
    a, b, centre, scale = models
    read = _noises(a, b, eps)
    return (read - read[:1]) / (scale + jnp.abs(read - centre))


def _noises(a: ILD, b: ILD, eps: Float[Array, " m"]) -> Float[Array, "D c"]:
    """e_d(ε) of all domains: what b reads off a's x, beside what a reads off b's."""

    def read(one: ILD, two: ILD, d: int) -> Float[Array, " m"]:
        x = one.mixing.transform(one.scms[d].transform(eps))
        return two.scms[d].inverse(two.mixing.inverse(x))

    rows = [jnp.concatenate([read(a, b, d), read(b, a, d)]) for d in range(a.num_domains)]
    return jnp.stack(rows)


def _centre_and_scale(models: tuple[ILD, ILD]) -> tuple[Float[Array, " c"], Float[Array, " c"]]:
    """The median of e_1 and half the distance between its quantiles at ±1 deviation."""
    eps = probe_noise(512, models[0].m, spread=1.0)
    read = _first_noises(models, eps)
    low, centre, high = jnp.nanquantile(read, jnp.array([0.1587, 0.5, 0.8413]), axis=0)
    return centre, 0.5 * (high - low)


@eqx.filter_jit
def _first_noises(models: tuple[ILD, ILD], eps: Float[Array, "n m"]) -> Float[Array, "n c"]:
    return jax.vmap(lambda row: _noises(*models, row)[0])(eps)
