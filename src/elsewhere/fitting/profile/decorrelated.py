"""The same linear model in latents that do not correlate within domains."""

import numpy as np

from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.moments import Axes, cholesky
from elsewhere.fitting.profile.problem import Problem


def decorrelated(problem: Problem, axes: Axes, mechanisms: Mechanisms) -> tuple[Axes, Mechanisms]:
    """Latents T z, T lower triangular, of mean covariance I within domains, linear mixings only.

    I − L̃ = diag(T) (I − L) T⁻¹. What is shared stays shared, and no axes are all but parallel.
    """
    factor = cholesky(problem.moments(axes).covariances.mean(axis=0))
    T = np.linalg.inv(factor)
    size, identity = np.diagonal(T), np.eye(len(T))
    weights = identity - size[:, None] * (identity - mechanisms.weights) @ factor
    same = Mechanisms(np.tril(weights, -1), size * mechanisms.scales, size * mechanisms.biases)
    return T @ axes, same
