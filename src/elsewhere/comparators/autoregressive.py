"""Nodes in an order, one set per domain: abduct in d, predict in d'."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import DomainMap
from elsewhere.comparators.nodes import Base, Node, carried_over, fit_node

Parents = tuple[tuple[int, ...], ...]


@final
@dataclass(frozen=True)
class AutoregressiveMap(DomainMap):
    """x_{d→d'} = H⁻¹ f_d'(f_d⁻¹(H x)), f_d node by node.

    Attributes:
        to_latent: H, [m, m]; the identity where the variables are observed.
        order: of the nodes, causes first.
        parents: of each node.
        nodes: of each domain, by node.
    """

    to_latent: Float[np.ndarray, "m m"]
    order: tuple[int, ...]
    parents: Parents
    nodes: tuple[tuple[Node, ...], ...]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """Abduction in domain i, prediction in domain j, causes first."""
        z = x @ self.to_latent.T
        moved = np.zeros_like(z)
        for node in self.order:
            behind = list(self.parents[node])
            before, after = self.nodes[i][node], self.nodes[j][node]
            u = carried_over(before.abduct(z[:, node], z[:, behind]), before, after)
            moved[:, node] = after.predict(u, moved[:, behind])
        return np.linalg.solve(self.to_latent, moved.T).T

    def noise(self, x: Float[np.ndarray, "n m"], i: int) -> Float[np.ndarray, "n m"]:
        """u of every node in domain i."""
        z = x @ self.to_latent.T
        every = zip(self.nodes[i], self.parents, z.T, strict=True)
        return np.stack([node.abduct(v, z[:, list(pa)]) for node, pa, v in every], axis=1)


def fit_autoregressive(
    samples: Sequence[Float[np.ndarray, "_ m"]],
    order: tuple[int, ...],
    parents: Parents,
    *,
    to_latent: Float[np.ndarray, "m m"] | None = None,
    degree: int = 3,
    base: Base = "any",
    varying: bool = True,
) -> AutoregressiveMap:
    """Each node of each domain by itself."""
    H = np.eye(samples[0].shape[1]) if to_latent is None else to_latent
    rows = [x @ H.T for x in samples]
    nodes = tuple(
        tuple(
            fit_node(z[:, j], z[:, list(pa)], degree=degree, base=base, varying=varying)
            for j, pa in enumerate(parents)
        )
        for z in rows
    )
    return AutoregressiveMap(H, order, parents, nodes)


def all_before(order: tuple[int, ...]) -> Parents:
    """Every node's parents are all before it."""
    places = {node: place for place, node in enumerate(order)}
    return tuple(order[: places[node]] for node in range(len(order)))
