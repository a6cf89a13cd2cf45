"""Are rows normal, as far as their third and fourth moments tell? Then there is no kink to find."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

FEWEST_ROWS = 500  # of each domain, from which on a kink in the tails shows
MOST_ROWS = 20_000  # of each domain: enough to show what a kink of LEAST_GAIN does
DEVIATIONS = 3.0  # by which moments of normal rows are hardly ever off
Rows = Float[np.ndarray, "n m"]


def look_normal(tables: Mapping[Any, Rows]) -> bool:
    """Whether skewness and kurtosis (Mardia, 1970), over all domains, are those of normal rows.

    A kink that makes rows likelier by g nats makes them skew: n·skewness/6 exceeds its expectation
    by some 2 g n, which is many deviations before g is large enough to be preferred. Fewer rows
    than FEWEST_ROWS tell nothing.
    """
    if min(map(len, tables.values())) < FEWEST_ROWS:
        return False
    return bool(max(abs(z) for z in departures(tables)) < DEVIATIONS)


def departures(tables: Mapping[Any, Rows]) -> tuple[float, float]:
    """By how many deviations skewness and kurtosis are off, over all domains together."""
    found = np.array([_moments(_whitened(table[:MOST_ROWS])) for table in tables.values()])
    m = next(iter(tables.values())).shape[1]
    skew, sharp = found.sum(axis=0)
    free = len(found) * m * (m + 1) * (m + 2) / 6
    return float((skew - free) / np.sqrt(2 * free)), float(sharp / np.sqrt(len(found)))


def _moments(x: Rows) -> tuple[float, float]:
    """n Σ_ijk E[x_i x_j x_k]²/6, and the standardised E[|x|⁴], of whitened rows."""
    n, m = x.shape
    i, j = np.triu_indices(m)
    third = x.T @ (x[:, i] * x[:, j]) / n
    skew = n * (third**2 * np.where(i == j, 1, 2)).sum() / 6
    usual = m * (m + 2) * (n - 1) / (n + 1)
    sharp = (((x**2).sum(axis=1) ** 2).mean() - usual) / np.sqrt(8 * m * (m + 2) / n)
    return float(skew), float(sharp)


def _whitened(x: Rows) -> Rows:
    centred = x - x.mean(axis=0)
    factor = np.linalg.cholesky(centred.T @ centred / len(x))
    return np.linalg.solve(factor, centred.T).T
