"""Weak supervision: rows seen before and after an intervention on one unknown latent."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import DomainMap
from elsewhere.comparators.atomic import whitening_root
from elsewhere.comparators.interface import Assumption, Comparator, Samples
from elsewhere.comparators.nodes import Node, carried_over, fit_node
from elsewhere.errors import AssumptionError

Pair = tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "n m"]]


@final
@dataclass(frozen=True)
class WithPairs(Comparator):
    """x̃ − x = c_k δ: pairs tell the direction in which the one latent of domain k moves x.

    Whitened in the first domain, the directions are orthonormal and read the noise of their latents
    off x. In domain k that noise is a fresh one, cut off its causes: a regression on all other
    directions. The authors train autoencoders for nonlinear mixings; this mixing is linear.

    Args:
        pairs: per domain but the first, rows of the first and the same rows there. The noise of the
            intervened latent may be drawn anew.
    """

    source: ClassVar[str] = (
        "J. Brehmer, P. de Haan, P. Lippe, T. Cohen: Weakly supervised causal representation "
        "learning. NeurIPS 2022."
    )

    pairs: tuple[Pair, ...] = ()

    def _require(self, num_domains: int, m: int) -> None:
        if len(self.pairs) != num_domains - 1:
            raise AssumptionError(
                "pairs must hold rows of the first domain and the same rows in another, for each "
                f"of the {num_domains - 1} others; got {len(self.pairs)}."
            )
        if wrong := [a.shape for a, b in self.pairs if a.shape != b.shape or a.shape[1] != m]:
            raise AssumptionError(f"pairs must be two tables of {m} columns alike; got {wrong}.")

    def _learn(self, samples: Samples) -> DomainMap:
        root, centre = whitening_root(samples[0]), samples[0].mean(0)
        axes, laws = [], []
        for x, pair in zip(samples[1:], self.pairs, strict=True):
            Q = basis_of(direction(pair, root)[0])
            axes.append(Q @ root)
            laws.append(tuple(_law((rows - centre) @ axes[-1].T) for rows in (samples[0], x)))
        return PairMap(centre, tuple(axes), tuple(laws))

    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        root = whitening_root(samples[0])
        found = [direction(pair, root) for pair in self.pairs]
        least = min(share for _, share in found)
        cosines = np.abs([[a @ b for a, _ in found] for b, _ in found])
        between = float(np.minimum(cosines, 1 - cosines).max())
        one = f"one direction has {least:.1%} of the pairs' difference in every domain"
        across = f"cosines between directions are within {between:.2f} of 0 or 1"
        return (
            Assumption("every other domain intervenes on one latent", least > 0.99, one),
            Assumption("noises are independent, the mixing is linear", between < 0.1, across),
        )


@final
@dataclass(frozen=True)
class PairMap(DomainMap):
    """e ↦ e with its first entry under the law of the other domain, by way of the first domain.

    Attributes:
        centre: of the first domain.
        axes: per other domain, x − centre ↦ (its latent's noise, the rest), [m, m].
        laws: per other domain, that noise given the rest: in the first domain, and in this one.
    """

    centre: Float[np.ndarray, " m"]
    axes: tuple[Float[np.ndarray, "m m"], ...]
    laws: tuple[tuple[Node, Node], ...]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """From i to the first domain, and on to j."""
        home = self._changed(x, i, 1, 0) if i else x
        return self._changed(home, j, 0, 1) if j else home

    def _changed(
        self, x: Float[np.ndarray, "n m"], domain: int, before: int, after: int
    ) -> Float[np.ndarray, "n m"]:
        axes, laws = self.axes[domain - 1], self.laws[domain - 1]
        e = (x - self.centre) @ axes.T
        u = carried_over(laws[before].abduct(e[:, 0], e[:, 1:]), laws[before], laws[after])
        e[:, 0] = laws[after].predict(u, e[:, 1:])
        return self.centre + np.linalg.solve(axes, e.T).T


def direction(pair: Pair, root: Float[np.ndarray, "m m"]) -> tuple[Float[np.ndarray, " m"], float]:
    """(the direction of most of the differences, whitened; its share of their squares)."""
    apart = (np.asarray(pair[1], float) - np.asarray(pair[0], float)) @ root.T
    _, s, rows = np.linalg.svd(apart, full_matrices=False)
    return rows[0], float(s[0] ** 2 / (s**2).sum())


def basis_of(first: Float[np.ndarray, " m"]) -> Float[np.ndarray, "m m"]:
    """An orthonormal basis whose first row is the one given."""
    Q = np.linalg.qr(np.column_stack([first, np.eye(len(first))]))[0].T
    return Q * np.sign(Q[0] @ first)


def _law(e: Float[np.ndarray, "n m"]) -> Node:
    return fit_node(e[:, 0], e[:, 1:], degree=1, base="any", varying=False)
