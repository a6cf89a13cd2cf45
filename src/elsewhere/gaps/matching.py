"""Draws that leave the moments of a filled table where the estimate has them."""

import numpy as np
from jaxtyping import Bool, Float

Rows = Float[np.ndarray, "n p"]
STEPS = 4
ENTRIES = 3  # missing, per moment to be met, at least
FEWEST = 4  # missing entries of a column, below which its draws stay as they are


def matched(
    expected: Rows, draw: Rows, missing: Bool[np.ndarray, "n p"], left: Float[np.ndarray, "p p"]
) -> Rows:
    """The draw, changed least so that Σ e = 0 and Σ [u eᵀ + e uᵀ + e eᵀ] = `left`.

    u are the expectations about their mean. A draw as it comes would add its own noise to means and
    covariances, which are known better than that.
    """
    u = expected - expected.mean(axis=0)
    p = u.shape[1]
    e = np.where(missing, draw, 0.0)
    if missing.sum() < ENTRIES * (p + p * (p + 1) // 2):
        return matched_by_column(expected, draw, missing, np.diag(left))
    upper = np.triu_indices(p)
    target = (u.T @ u + left)[upper]
    for _ in range(STEPS):
        y = u + e
        error = np.concatenate([-e.sum(axis=0), target - (y.T @ y)[upper]])
        step = _least_change(y, missing, upper, error)
        e = e + np.where(missing, step, 0.0)
    good = np.isfinite(e).all() and np.abs(e).max() <= 3 * np.abs(draw[missing]).max()
    return e if good else matched_by_column(expected, draw, missing, np.diag(left))


def _least_change(
    y: Rows, missing: np.ndarray, upper: tuple[np.ndarray, np.ndarray], error: np.ndarray
) -> Rows:
    """The smallest change of the missing entries that mends the error, to first order.

    Entry (i, j) moves the sum of column j by 1 and Σ y_j y_k by y_ik (twice that for k = j): the
    Gram matrix of the moments is a sum over columns j.
    """
    n, p = y.shape
    j, k = upper
    gram = np.zeros((len(error), len(error)))
    slopes = []
    for column in range(p):
        rows = np.flatnonzero(missing[:, column])
        slope = np.zeros((len(rows), len(error)))
        slope[:, column] = 1.0
        first, second = np.flatnonzero(j == column), np.flatnonzero(k == column)
        slope[:, p + first] += y[np.ix_(rows, k[first])]
        slope[:, p + second] += y[np.ix_(rows, j[second])]
        gram += slope.T @ slope
        slopes.append((rows, slope))
    ridge = 1e-10 * np.trace(gram) / len(gram) * np.eye(len(gram))
    weights = np.linalg.solve(gram + ridge, error)
    step = np.zeros_like(y)
    for column, (rows, slope) in enumerate(slopes):
        step[rows, column] = slope @ weights
    return step


def matched_by_column(
    expected: Rows, draw: Rows, missing: Bool[np.ndarray, "n p"], left: Float[np.ndarray, " p"]
) -> Rows:
    """The same for the mean and the variance of each column alone."""
    u = expected - expected.mean(axis=0)
    e = np.where(missing, draw, 0.0)
    enough = missing.sum(axis=0) >= FEWEST
    count = np.maximum(missing.sum(axis=0), 1)
    for _ in range(STEPS):
        slope = np.where(missing, 2 * (u + e), 0.0)
        mean, square = slope.sum(axis=0), (slope**2).sum(axis=0)
        short, wrong = -e.sum(axis=0), left - ((2 * u + e) * e).sum(axis=0)
        det = np.maximum(count * square - mean**2, 1e-9 * count * square + 1e-300)
        a = (square * short - mean * wrong) / det
        b = (count * wrong - mean * short) / det
        step = np.where(missing & enough, a + b * slope, 0.0)
        most = 3 * np.sqrt(np.maximum(left, 0.0) / count)
        e = e + np.clip(step, -most, most)
    return e
