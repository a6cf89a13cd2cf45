"""Which domains are near each other: change is asked to be small only from one to the next.

A far domain is reached by way of nearer ones, for counterfactuals compose. A digit turned by 60°
is as far from itself as from any other digit; turned by 15° four times it stays itself.
"""

import numpy as np
from jaxtyping import Float, Int
from scipy.sparse.csgraph import minimum_spanning_tree

Edges = tuple[tuple[int, int], ...]


def nearest_domains(
    z: Float[np.ndarray, "n m"], domains: Int[np.ndarray, " n"], num_domains: int
) -> Edges:
    """The tree that joins all domains by the least sum of Fréchet distances between their codes."""
    tables = [z[domains == d] for d in range(num_domains)]
    gaussians = [
        (table.mean(axis=0), np.atleast_2d(np.cov(table, rowvar=False))) for table in tables
    ]
    distances = np.zeros((num_domains, num_domains))
    for d, e in zip(*np.triu_indices(num_domains, 1), strict=True):
        distances[d, e] = 1 + frechet_distance(*gaussians[d], *gaussians[e])  # 0 would be no edge
    rows, columns = minimum_spanning_tree(distances).nonzero()
    return tuple(sorted((int(d), int(e)) for d, e in zip(rows, columns, strict=True)))


def frechet_distance(
    mean: Float[np.ndarray, " m"],
    covariance: Float[np.ndarray, "m m"],
    other_mean: Float[np.ndarray, " m"],
    other_covariance: Float[np.ndarray, "m m"],
) -> float:
    """|μ − μ'|² + tr(Σ + Σ' − 2 (Σ Σ')^½)."""
    root = _root(covariance)
    inner = np.linalg.eigvalsh(root @ other_covariance @ root)
    overlap = np.sqrt(np.maximum(inner, 0)).sum()
    spread = np.trace(covariance) + np.trace(other_covariance) - 2 * overlap
    return float(np.square(mean - other_mean).sum() + spread)


def _root(covariance: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """Σ^½ of a covariance that may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
