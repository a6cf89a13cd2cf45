"""Causal orderings of many variables, where the subsets are too many to visit."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.profile.moments import LatentMoments
from elsewhere.fitting.profile.orders.costs import costs_of
from elsewhere.fitting.profile.orders.orderings import Ordering, extended

TINY = np.finfo(float).tiny
Left = Float[np.ndarray, "B E m m"]
Prices = Float[np.ndarray, "B m"]


class _Step(NamedTuple):
    """A partial ordering of the beam (by its place there) and the variable that it places next."""

    past: int
    next: int
    longer: Ordering


def beam_orderings(moments: LatentMoments, k: int, tolerance: float, width: int) -> list[Ordering]:
    """Orderings with k changed variables grown one variable at a time, the cheapest kept.

    A beam search: `width` partial orderings for each number of changed variables, one for each set
    placed and sequence changed. Approximate, unlike `best_orderings`. Each carries the covariances
    of all variables given those placed, which one more changes by an outer product.
    """
    stack = np.concatenate([moments.pooled[None], moments.covariances])
    beam, left = [Ordering(0.0, 0.0)], stack[None]
    for _ in range(stack.shape[1]):
        steps = _cheapest(beam, *_prices(beam, left), k, width)
        beam = [step.longer for step in steps]
        past, placed = np.array([(step.past, step.next) for step in steps]).T
        left = _given(left[past], placed)
    least = min(ordering.loss for ordering in beam)
    return [ordering for ordering in beam if ordering.loss <= least + tolerance]


def _prices(beam: list[Ordering], left: Left) -> tuple[Prices, Prices]:
    """What sharing every variable next, or its noise scale alone, costs; inf for those placed."""
    B, m = len(beam), left.shape[-1]
    variances = np.diagonal(left, axis1=2, axis2=3).swapaxes(1, 2)
    log_scales = 0.5 * np.log(np.maximum(variances, TINY))
    whole, scale = (c.reshape(B, m).copy() for c in costs_of(log_scales.reshape(B * m, -1)))
    for i, past in enumerate(beam):
        whole[i, list(past.order)] = scale[i, list(past.order)] = np.inf
    return whole, scale


def _given(left: Left, placed: Int[np.ndarray, " B"]) -> Left:
    """Cov − c cᵀ/v: the covariances once one more variable is given."""
    across = np.take_along_axis(left, placed[:, None, None, None], axis=3)
    variance = np.take_along_axis(across, placed[:, None, None, None], axis=2)
    return left - across * across.swapaxes(2, 3) / np.maximum(variance, TINY)


def _cheapest(
    beam: list[Ordering], whole: Prices, scale: Prices, k: int, width: int
) -> list[_Step]:
    """The cheapest longer orderings by number of changed variables, one for each set placed."""
    places = [sum(1 << j for j in past.order) for past in beam]
    costs = np.array([past.cost for past in beam])[:, None, None] + np.stack([whole, scale], axis=1)
    room = np.array([len(past.changed) < k for past in beam])
    costs[~room, 1] = np.inf
    order = np.argsort(costs, axis=None, kind="stable")[: np.isfinite(costs).sum()]
    seen, counts, kept = set(), dict.fromkeys(range(k + 1), 0), []
    for i, changes, j in np.stack(np.unravel_index(order, costs.shape), axis=1).tolist():
        if min(counts.values()) >= width:
            break
        changed = (*beam[i].changed, j) if changes else beam[i].changed
        same = places[i] | 1 << j, changed
        if same not in seen and counts[len(changed)] < width:
            seen.add(same)
            counts[len(changed)] += 1
            price = float((scale if changes else whole)[i, j])
            kept.append(_Step(i, j, extended(beam[i], j, price, bool(changes))))
    return kept
