"""Orderings merged where they answer every counterfactual question alike."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.moments import LatentMoments, closed_form
from elsewhere.fitting.profile.orders.orderings import Ordering

NEAR = 1e-3  # mean squared difference, in within-domain variances, of equal counterfactuals


class LatentMoves(NamedTuple):
    """z ↦ B_{d→d'} z + a_{d→d'}: the latent counterfactual from every domain d to every d'."""

    matrix: Float[np.ndarray, "D D m m"]
    offset: Float[np.ndarray, "D D m"]


def latent_moves(mechanisms: Mechanisms) -> LatentMoves:
    """B = (I − L_d')⁻¹ S_d' S_d⁻¹ (I − L_d), with the noise kept."""
    residual = np.eye(mechanisms.scales.shape[1]) - mechanisms.weights
    total = np.linalg.inv(residual)
    ratio = mechanisms.scales[None] / mechanisms.scales[:, None]
    shift = mechanisms.biases[None] - ratio * mechanisms.biases[:, None]
    matrix = total[None] @ (ratio[..., None] * residual[:, None])
    return LatentMoves(matrix, np.einsum("eij,dej->dei", total, shift))


def difference(one: LatentMoves, other: LatentMoves, moments: LatentMoments) -> float:
    """Mean over d ≠ d' and coordinates of E_d (z' − z'')², in within-domain variances."""
    matrix, offset = one.matrix - other.matrix, one.offset - other.offset
    spread = np.einsum("deij,djk,deik->dei", matrix, moments.covariances, matrix)
    centre = np.einsum("deij,dj->dei", matrix, moments.means) + offset
    variance = np.diagonal(moments.covariances, axis1=1, axis2=2).mean(axis=0)
    apart = ~np.eye(len(offset), dtype=bool)
    return float(((spread + centre**2) / variance)[apart].mean())


def kinds_of(ordering: Ordering) -> Int[np.ndarray, " m"]:
    """SHARED or OWN for each variable, in causal order."""
    return np.where(np.isin(ordering.order, ordering.changed), OWN, SHARED)


def distinct(orderings: Iterable[Ordering], moments: LatentMoments, count: int) -> list[Ordering]:
    """The first `count` orderings with different counterfactuals."""
    kept: list[tuple[Ordering, LatentMoves]] = []
    for ordering in orderings:
        answer = _in_axes_order(ordering, moments)
        if all(difference(answer, other, moments) > NEAR for _, other in kept):
            kept.append((ordering, answer))
        if len(kept) == count:
            break
    return [ordering for ordering, _ in kept]


def orders_first(orderings: list[Ordering]) -> list[Ordering]:
    """The likeliest order for every sequence of the preferred changed variables, then the others.

    Sequences come cheapest first; of the orders of one, that which shares at the least loss.
    """
    same: dict[tuple[int, ...], list[Ordering]] = {}
    for ordering in orderings:
        if set(ordering.changed) == set(orderings[0].changed):
            same.setdefault(ordering.changed, []).append(ordering)
    leading = [min(orders, key=lambda ordering: ordering.loss) for orders in same.values()]
    taken = set(leading)
    return leading + [ordering for ordering in orderings if ordering not in taken]


def _in_axes_order(ordering: Ordering, moments: LatentMoments) -> LatentMoves:
    answer = latent_moves(closed_form(moments.reordered(ordering.order), kinds_of(ordering)))
    back = np.argsort(ordering.order)
    return LatentMoves(answer.matrix[..., back, :][..., back], answer.offset[..., back])
