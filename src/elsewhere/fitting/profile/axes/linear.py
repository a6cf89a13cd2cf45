"""The latent axes of a linear mixing: a subspace whose mechanisms all domains share."""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.profile.axes.climb import Stack, climb
from elsewhere.fitting.profile.axes.moves import random_starts
from elsewhere.fitting.profile.axes.population import SAME
from elsewhere.fitting.profile.axes.search import Found, check_some_finite
from elsewhere.fitting.profile.moments import Axes, Tables, cholesky, closed_form, latent_moments
from elsewhere.fitting.profile.problem import Problem, sigma_points
from elsewhere.fitting.split import FitError

STAGES = (1.0,) * 6  # no kink to smooth: the width has no effect


def find_linear_axes(rng: np.random.Generator, problem: Problem, k: int) -> Found:
    """argmax over W of the likelihood with the first m − k mechanisms shared, the last k not.

    Each domain is Gaussian, so only the span of the shared rows of W matters; any basis of the
    changing block explains the data as well. The one chosen is where the block's conditional
    covariances are, over the domains, as nearly diagonal as their squared differences tell.
    """
    options, m = problem.options, problem.m
    stack = random_starts(rng, options.starts, m)
    stack[..., -1] = 0.0
    kinds = np.tile(np.where(np.arange(m) < m - k, SHARED, OWN), (options.starts, 1))
    stack, steps = climb(stack, problem.rows, kinds, problem.kink, STAGES, options.steps)
    values = _values(problem, stack, kinds[0])
    check_some_finite(values, steps)
    agreeing = int((values > values.max() - SAME).sum())
    problem.progress(0.6, f"{agreeing} of {options.starts} starts agree")
    axes = rebased(problem, stack[int(values.argmax())], k)
    return Found(axes, axes, axes[None], agreeing)


def _values(
    problem: Problem, stack: Stack, kinds: Int[np.ndarray, " m"]
) -> Float[np.ndarray, " R"]:
    """log|det W| − mean_d Σ_j log s_dj of every fit, in float64: float32 flatters parallel axes."""
    points = sigma_points(problem.train)
    return np.array([_value(axes, points, kinds) for axes in stack])


def _value(axes: Axes, points: Tables, kinds: Int[np.ndarray, " m"]) -> float:
    sign, log_det = np.linalg.slogdet(axes[:, :-1])
    if sign == 0 or not np.isfinite(axes).all():
        return -np.inf
    try:
        scales = closed_form(latent_moments(axes, points, 1.0), kinds).scales
    except FitError:  # parallel to within rounding
        return -np.inf
    return float(log_det - np.log(scales).mean(axis=0).sum())


def rebased(problem: Problem, axes: Axes, k: int) -> Axes:
    """The last k axes replaced by the block's principal directions of change."""
    if k == 0:
        return axes
    block = _conditional(problem.moments(axes).covariances, k)
    whiten = np.linalg.inv(cholesky(block.mean(axis=0)))
    changes = whiten @ block @ whiten.T - np.eye(k)
    directions = np.linalg.eigh((changes @ changes).sum(axis=0))[1].T
    return np.concatenate([axes[:-k], directions @ whiten @ axes[-k:]])


def _conditional(covariances: Float[np.ndarray, "D m m"], k: int) -> Float[np.ndarray, "D k k"]:
    """Cov_d of the last k variables given the others."""
    return np.linalg.inv(np.linalg.inv(covariances)[:, -k:, -k:])
