"""Orders of the axes for curved mechanisms: what sharing costs, given any set of predecessors."""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.profile.orders.costs import SharingCosts, costs_of
from elsewhere.fitting.profile.orders.orderings import costs_to_go
from elsewhere.scm.additive import CURVES

TINY = 1e-12  # of a latent's variance, which is 1


def cheapest(costs: SharingCosts, k: int) -> tuple[list[int], Int[np.ndarray, " m"]]:
    """The order that shares all but k mechanisms at the least cost, and the kind of each in it.

    Two neighbours that are both shared do not commute here, as those of normal rows do.
    """
    m = len(costs.whole)
    to_go = costs_to_go(costs, k, 0.0)
    placed, left, order, kinds = 0, k, [], []
    while len(order) < m:
        after = [(j, placed | 1 << j) for j in range(m) if not placed >> j & 1]
        steps = [(costs.whole[j, placed] + to_go[left, P], j, left, SHARED) for j, P in after]
        if left:
            steps += [(to_go[left - 1, P], j, left - 1, OWN) for j, P in after]
        _, j, left, kind = min(steps)
        placed, order, kinds = placed | 1 << j, [*order, j], [*kinds, kind]
    return order, np.array(kinds)


def sharing_costs(covariances: Float[np.ndarray, "E p p"]) -> SharingCosts:
    """As for linear mechanisms, from the covariances of the curves, the pooled one first."""
    left = _given_every_set(covariances)
    variances = np.maximum(np.diagonal(left, axis1=2, axis2=3)[..., ::CURVES], TINY)
    m = variances.shape[-1]
    whole, scale = np.full((2, m, 1 << m), np.inf)
    everything = np.arange(1 << m)
    for j in range(m):
        before = everything[(everything >> j) & 1 == 0]
        whole[j, before], scale[j, before] = costs_of(0.5 * np.log(variances[before, :, j]))
    return SharingCosts(whole, scale)


def _given_every_set(covariances: Float[np.ndarray, "E p p"]) -> Float[np.ndarray, "sets E p p"]:
    """The covariances given the curves of every set of latents, indexed by its bit mask."""
    left = covariances[None]
    for i in range(covariances.shape[-1] // CURVES):
        own = slice(i * CURVES, (i + 1) * CURVES)
        across = left[..., own]
        told = np.linalg.solve(across[..., own, :], np.swapaxes(across, -1, -2))
        left = np.concatenate([left, left - across @ told])
    return left
