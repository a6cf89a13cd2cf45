"""Causal orderings of many variables, where the subsets are too many to visit."""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.profile.moments import LatentMoments
from elsewhere.fitting.profile.orders.costs import costs_of
from elsewhere.fitting.profile.orders.orderings import Ordering, extended


def beam_orderings(moments: LatentMoments, k: int, tolerance: float, width: int) -> list[Ordering]:
    """Orderings with k changed variables grown one variable at a time, the cheapest kept.

    A beam search: `width` partial orderings for each number of changed variables, one for each set
    placed and sequence changed. Approximate, unlike `best_orderings`.
    """
    stack = np.concatenate([moments.pooled[None], moments.covariances])
    m = stack.shape[1]
    beam = [Ordering(0.0, 0.0)]
    for _ in range(m):
        grown = [longer for past in beam for longer in _grown(stack, past, k)]
        beam = _kept(grown, k, width)
    least = min(ordering.loss for ordering in beam)
    return [ordering for ordering in beam if ordering.loss <= least + tolerance]


def _grown(stack: Float[np.ndarray, "E m m"], past: Ordering, k: int) -> list[Ordering]:
    free = np.setdiff1d(np.arange(stack.shape[1]), past.order).astype(int)
    whole, scale = costs_of(_log_scales(stack, np.array(past.order, int), free))
    shared = [extended(past, int(j), float(c), False) for j, c in zip(free, whole, strict=True)]
    if len(past.changed) == k:
        return shared
    return shared + [
        extended(past, int(j), float(c), True) for j, c in zip(free, scale, strict=True)
    ]


def _log_scales(
    stack: Float[np.ndarray, "E m m"], before: Int[np.ndarray, " b"], free: Int[np.ndarray, " f"]
) -> Float[np.ndarray, "f E"]:
    """log deviation of each free variable given those before it."""
    blocks = stack[:, before[:, None], before]
    across = stack[:, before[:, None], free]
    explained = (across * np.linalg.solve(blocks, across)).sum(axis=1)
    variances = np.diagonal(stack, axis1=1, axis2=2)[:, free] - explained
    return 0.5 * np.log(np.maximum(variances, np.finfo(float).tiny)).T


def _kept(grown: list[Ordering], k: int, width: int) -> list[Ordering]:
    """The cheapest by number of changed variables."""
    unique: dict[tuple[frozenset[int], tuple[int, ...]], Ordering] = {}
    for ordering in sorted(grown):
        unique.setdefault((frozenset(ordering.order), ordering.changed), ordering)
    counts = dict.fromkeys(range(k + 1), 0)
    kept = []
    for ordering in unique.values():
        counts[len(ordering.changed)] += 1
        if counts[len(ordering.changed)] <= width:
            kept.append(ordering)
    return kept
