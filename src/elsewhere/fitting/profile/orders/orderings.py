"""The causal orderings that leave the fewest nats unexplained, exactly, over all subsets."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.orders.costs import SharingCosts, members


@dataclass(frozen=True, order=True)
class Ordering:
    """A causal order of the axes and which of them change between domains.

    `loss` is what sharing the others costs, `cost` adds sharing the noise scales of the changed.
    """

    cost: float
    loss: float
    order: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()  # in causal order


@dataclass(frozen=True, order=True)
class _Partial:
    bound: float
    tick: int
    placed: int = field(compare=False)
    left: int = field(compare=False)
    so_far: Ordering = field(compare=False)


def best_orderings(
    costs: SharingCosts, k: int, tolerance: float, limit: int = 2_000, patience: int = 100_000
) -> list[Ordering]:
    """Orderings with at most k changed variables, cheapest first, loss ≤ the least + tolerance.

    Best-first search, guided by the exact cost to go from every subset. Neighbours that are both
    shared commute: they are listed in index order only.
    """
    m = len(costs.whole)
    cost_to_go, loss_to_go = costs_to_go(costs, k, 1.0), costs_to_go(costs, k, 0.0)
    allowed = loss_to_go[k, 0] + tolerance
    found: list[Ordering] = []
    heap, ticks = [_Partial(cost_to_go[k, 0], 0, 0, k, Ordering(0.0, 0.0))], 0
    while heap and len(found) < limit and ticks < patience:
        partial = heapq.heappop(heap)
        if len(partial.so_far.order) == m:
            found.append(partial.so_far)
            continue
        for placed, left, longer in _extensions(costs, partial):
            if longer.loss + loss_to_go[left, placed] <= allowed:
                ticks += 1
                bound = longer.cost + cost_to_go[left, placed]
                heapq.heappush(heap, _Partial(bound, ticks, placed, left, longer))
    return found


def costs_to_go(costs: SharingCosts, k: int, scale_weight: float) -> Float[np.ndarray, "left sets"]:
    """V[r, P] = min_j of whole[j, P] + V[r, P∪j] and weight·scale[j, P] + V[r − 1, P∪j]."""
    m = len(costs.whole)
    best = np.full((k + 1, 1 << m), np.inf)
    best[:, -1] = 0.0
    for size in range(m - 1, -1, -1):
        sets = (1 << members(m, size)).sum(axis=1).astype(int)
        for j in range(m):
            P = sets[(sets >> j) & 1 == 0]
            after = best[:, P | 1 << j]
            shared = costs.whole[j, P] + after
            changed = scale_weight * costs.scale[j, P] + after[:-1]
            best[:, P] = np.minimum(best[:, P], shared)
            best[1:, P] = np.minimum(best[1:, P], changed)
    return best


def _extensions(costs: SharingCosts, partial: _Partial) -> Iterator[tuple[int, int, Ordering]]:
    """Every next variable, shared or changed: (set placed, changes left, the longer ordering)."""
    past, P = partial.so_far, partial.placed
    last_shared = past.order[-1] if set(past.order[-1:]) - set(past.changed) else -1
    for j in range(len(costs.whole)):
        if P >> j & 1:
            continue
        if partial.left:
            yield P | 1 << j, partial.left - 1, extended(past, j, float(costs.scale[j, P]), True)
        if j > last_shared:
            yield P | 1 << j, partial.left, extended(past, j, float(costs.whole[j, P]), False)


def extended(past: Ordering, j: int, price: float, changes: bool) -> Ordering:
    """The ordering with variable j placed next."""
    return replace(
        past,
        cost=past.cost + price,
        loss=past.loss + (0.0 if changes else price),
        order=(*past.order, j),
        changed=(*past.changed, j) if changes else past.changed,
    )
