"""Bijective mechanisms of observed variables, with the graph given."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from elsewhere.baselines.interface import DomainMap
from elsewhere.comparators.autoregressive import AutoregressiveMap, all_before, fit_autoregressive
from elsewhere.comparators.interface import Assumption, Comparator, Samples
from elsewhere.errors import AssumptionError


@final
@dataclass(frozen=True)
class BijectiveMechanisms(Comparator):
    """x_j = f_j(x_pa(j), u_j), increasing in u_j, per domain; u is kept, f exchanged.

    f_j is a location and a scale, polynomials of the parents, and u_j's empirical quantiles, where
    the authors train conditional spline flows.

    Args:
        graph: the parents of every column, by position; None is the complete graph in the columns'
            order, which no data can refute.
        degree: of the polynomials.
    """

    source: ClassVar[str] = (
        "A. Nasr-Esfahany, M. Alizadeh, D. Shah: Counterfactual identifiability of bijective "
        "causal models. ICML 2023."
    )

    graph: tuple[tuple[int, ...], ...] | None = None
    degree: int = 3

    def _require(self, num_domains: int, m: int) -> None:
        if self.graph is not None:
            topological(self.graph, m)

    def _learn(self, samples: Samples) -> DomainMap:
        return self._fitted(samples)

    def _fitted(self, samples: Samples) -> AutoregressiveMap:
        m = samples[0].shape[1]
        parents = self.graph or all_before(tuple(range(m)))
        return fit_autoregressive(samples, topological(parents, m), parents, degree=self.degree)

    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        fitted = self._fitted(samples)
        worst = max(dependence(fitted.noise(x, i)) for i, x in enumerate(samples))
        complete = self.graph is None
        words = (
            "every law of x is Markov to a complete graph: nothing to test"
            if complete
            else f"the nodes' noises depend on each other by {worst:.1f} standard errors at most"
        )
        return (
            Assumption("the graph of the columns is known", None if complete else worst < 4, words),
            Assumption("mechanisms are monotone in one noise each", None, "not seen in the data"),
        )


def topological(graph: tuple[tuple[int, ...], ...], m: int) -> tuple[int, ...]:
    """The nodes, parents first; an `AssumptionError` where there is a cycle."""
    if len(graph) != m or any(not 0 <= p < m for parents in graph for p in parents):
        raise AssumptionError(
            f"graph must name the parents of each of the {m} columns, by positions in 0..{m - 1}; "
            f"got {graph}."
        )
    order: list[int] = []
    while len(order) < m:
        ready = [j for j in range(m) if j not in order and set(graph[j]) <= set(order)]
        if not ready:
            raise AssumptionError(f"graph must have no cycle; got {graph}.")
        order.append(ready[0])
    return tuple(order)


def dependence(noise: np.ndarray) -> float:
    """The largest |correlation| √n of two columns or of their squares; about normal where none."""
    n, m = noise.shape
    ranked = np.argsort(np.argsort(noise, axis=0), axis=0) / (n - 1) - 0.5  # bounded: no tails
    both = np.corrcoef(np.concatenate([ranked, ranked**2], axis=1).T)
    apart = ~np.kron(np.ones((2, 2), bool), np.eye(m, dtype=bool))
    return float(np.abs(both[apart]).max() * np.sqrt(n)) if m > 1 else 0.0
