"""Entropic optimal transport between subsamples, extended to any row."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any, final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap

CHUNK = 4_096  # rows moved at once: bounds the memory of the [rows, points] weights


@final
@dataclass(frozen=True)
class EntropicOT(Baseline):
    """T_{d→d'}(x) = Σ_j w_j(x) y_j, w(x) ∝ exp((g_j − ‖x − y_j‖²)/ε), y_j rows of d'.

    g is the Sinkhorn potential between subsamples of d and d'; the formula extends the plan's
    barycentric map to new rows (Pooladian and Niles-Weed, 2021). Needs `elsewhere[ot]`.

    Args:
        rows: how many rows of each domain to use at most.
        relative_epsilon: ε over the mean squared distance between the two subsamples.
        seed: of the subsampling.
        max_iterations: of Sinkhorn.
    """

    needs = "ott"
    pair_by_pair = True

    rows: int = 1_000
    relative_epsilon: float = 0.05
    seed: int = 0
    max_iterations: int = 10_000

    def __post_init__(self) -> None:
        if self.rows < 2 or not self.relative_epsilon > 0:
            raise ValueError(
                "rows must be at least 2 and relative_epsilon positive; got "
                f"{self.rows} and {self.relative_epsilon}."
            )

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        from scipy.spatial.distance import cdist

        rng = np.random.default_rng(self.seed)
        points = tuple(rng.permutation(s)[: self.rows] for s in samples)
        potentials, epsilons = {}, {}
        for i, j in combinations(range(len(points)), 2):
            epsilon = self.relative_epsilon * float(
                cdist(points[i], points[j], "sqeuclidean").mean()
            )
            potentials[j, i], potentials[i, j] = self._solve(points[i], points[j], epsilon)
            epsilons[i, j] = epsilons[j, i] = epsilon
        return EntropicMap(points, potentials, epsilons)

    def _solve(
        self, x: Float[np.ndarray, "a m"], y: Float[np.ndarray, "b m"], epsilon: float
    ) -> tuple[Float[np.ndarray, " a"], Float[np.ndarray, " b"]]:
        f, g, converged = _sinkhorn()(x, y, epsilon, self.max_iterations)
        if not converged:
            raise RuntimeError(
                f"Sinkhorn did not converge in max_iterations={self.max_iterations}. Raise it, or "
                f"relative_epsilon={self.relative_epsilon}."
            )
        return np.asarray(f, float), np.asarray(g, float)


@final
@dataclass(frozen=True)
class EntropicMap(DomainMap):
    """x ↦ Σ_j w_j(x) y_j, from each domain's points y and each ordered pair's potential g."""

    points: tuple[Float[np.ndarray, "_ m"], ...]
    potentials: dict[tuple[int, int], Float[np.ndarray, " _"]]
    epsilons: dict[tuple[int, int], float]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """The weighted mean of the other domain's points."""
        from scipy.spatial.distance import cdist
        from scipy.special import softmax

        y, g, epsilon = self.points[j], self.potentials[i, j], self.epsilons[i, j]
        chunks = np.split(x, range(CHUNK, len(x), CHUNK))
        moved = [softmax((g - cdist(c, y, "sqeuclidean")) / epsilon, axis=1) @ y for c in chunks]
        return np.concatenate(moved)


@cache
def _sinkhorn() -> Callable[..., Any]:
    """(x, y, ε, max_iterations) ↦ (f, g, converged), compiled once for each shape."""
    try:
        from ott.geometry.pointcloud import PointCloud
        from ott.problems.linear.linear_problem import LinearProblem
        from ott.solvers.linear.sinkhorn import Sinkhorn
    except ImportError as error:
        raise ImportError(
            "EntropicOT needs ott-jax, which is not installed: pip install 'elsewhere[ot]'."
        ) from error
    import jax

    def run(x: Any, y: Any, epsilon: Any, max_iterations: int) -> tuple[Any, Any, Any]:
        problem = LinearProblem(PointCloud(x, y, epsilon=epsilon))
        out = Sinkhorn(max_iterations=max_iterations)(problem)
        return out.f, out.g, out.converged

    return jax.jit(run, static_argnums=3)
