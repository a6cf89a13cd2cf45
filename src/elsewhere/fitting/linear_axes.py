"""The latent axes of a linear mixing: a subspace whose mechanisms all domains share."""

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.climb import OWN, SHARED, climb, exact
from elsewhere.fitting.moments import cholesky
from elsewhere.fitting.moves import random_starts
from elsewhere.fitting.problem import Problem
from elsewhere.fitting.search import SAME, Axes, Found, check_some_finite

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
    values = exact(stack, problem.rows, kinds, problem.kink)
    check_some_finite(values, steps)
    agreeing = int((values > values.max() - SAME).sum())
    problem.progress(0.6, f"{agreeing} of {options.starts} starts agree")
    axes = rebased(problem, stack[int(values.argmax())], k)
    return Found(axes, axes, axes[None], agreeing)


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
