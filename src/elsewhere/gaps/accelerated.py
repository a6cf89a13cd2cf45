"""Steps of expectation–maximisation, taken together: the fewer, the more entries are missing."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

Means = Float[np.ndarray, "D p"]
Matrices = Float[np.ndarray, "D p p"]
Moments = tuple[Means, Matrices]
FARTHEST = 32.0  # steps that one extrapolation may stand for


def fixed_point(
    step: Callable[[Means, Matrices], Moments], start: Moments, close: float, steps: int
) -> Moments:
    """The means and covariances that a step leaves where they are, to within `close` deviations.

    θ ← step(θ₀ + 2 a r + a² v), r = θ₁ − θ₀, v = (θ₂ − θ₁) − r, a = |r|/|v|, from two steps each
    (SQUAREM; Varadhan and Roland, 2008), with covariances by the logarithm of their factors, so
    that they stay positive. Changes are judged along every direction, however little varies there.
    """
    here, made = start, 0
    while made + 3 <= max(steps, 3):
        first = step(*here)
        second = step(*first)
        made += 2
        if moved(first, second) < close:
            return second
        here, made = step(*_extrapolated(here, first, second)), made + 1
    return here


def moved(before: Moments, after: Moments) -> float:
    """The largest change, where rows are white."""
    whiten = np.linalg.inv(np.linalg.cholesky(after[1]))
    means = whiten @ (after[0] - before[0])[..., None]
    spread = whiten @ (after[1] - before[1]) @ whiten.mT
    return float(max(np.abs(means).max(), np.abs(spread).max()))


def _extrapolated(zeroth: Moments, first: Moments, second: Moments) -> Moments:
    a, b, c = (_vector(moments) for moments in (zeroth, first, second))
    r, v = b - a, (c - b) - (b - a)
    size = np.linalg.norm(r) / max(np.linalg.norm(v), 1e-300)
    size = min(max(size, 1.0), FARTHEST)
    return _moments(a + 2 * size * r + size**2 * v, zeroth[0].shape)


def _vector(moments: Moments) -> Float[np.ndarray, " q"]:
    """Means where rows are white, and the factor of every covariance, its diagonal by logarithm."""
    means, factors = moments[0], np.linalg.cholesky(moments[1])
    p = means.shape[1]
    diagonal = np.diagonal(factors, axis1=1, axis2=2)
    unit = np.tril(factors / diagonal[:, None, :], -1)[:, *np.tril_indices(p, -1)]
    return np.concatenate([means.ravel(), np.log(diagonal).ravel(), unit.ravel()])


def _moments(vector: Float[np.ndarray, " q"], shape: tuple[int, int]) -> Moments:
    D, p = shape
    means, logs = vector[: D * p].reshape(D, p), vector[D * p : 2 * D * p].reshape(D, p)
    factors = np.tile(np.eye(p), (D, 1, 1))
    factors[:, *np.tril_indices(p, -1)] = vector[2 * D * p :].reshape(D, -1)
    factors = factors * np.exp(logs)[:, None, :]
    return means, factors @ factors.mT
