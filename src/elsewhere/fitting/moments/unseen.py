"""A combination that was never seen: what its parts add up to, and how far it may be from that."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.combinations import Combinations
from elsewhere.fitting.moments.effects import Effects

SUPPOSED = 0.25  # the variance of interactions over that of effects, counted as one contrast


def with_combination(model: AffineMap, label: Hashable, seen: Combinations) -> AffineMap:
    """The map with one more domain, whose effects are those of its parts, added up.

    Args:
        model: of crossed domains, those that were seen first.
        label: the new combination of levels that others have.
        seen: the combinations that were seen.
    """
    added = len(model.domains) - len(seen.labels)
    weights = np.r_[seen.weights(label), np.zeros(added)]
    scales = _added(model.scales, weights, seen)
    offsets = _added(offsets_that_add(model), weights, seen)
    return replace(
        model,
        domains=(*model.domains, label),
        scales=scales,
        offsets=replace(offsets, means=offsets.means / np.exp(scales.means)),
        turns=_added(model.turns, weights, seen),
    )


def offsets_that_add(model: AffineMap) -> Effects:
    """e^{L_d} δ_d: offsets in the units of the columns, in which those of parts add up."""
    return replace(model.offsets, means=model.offsets.means * np.exp(model.scales.means))


def _added(
    effects: Effects, weights: Float[np.ndarray, " D"], combinations: Combinations
) -> Effects:
    """β_new = Σ_d w_d β_d, with an interaction of its own that is not known."""
    a, D = effects.weights.shape
    extended = np.zeros((a + 1, D + 1))
    extended[:a, :D], extended[:a, D], extended[a, D] = (
        effects.weights,
        effects.weights @ weights,
        1,
    )
    own = interaction_variance(effects, combinations)
    return Effects(
        np.concatenate([effects.means, np.tensordot(weights, effects.means, axes=1)[None]]),
        np.concatenate([effects.variances, own[None]]),
        extended,
        effects.p_value,
    )


def interaction_variance(effects: Effects, combinations: Combinations) -> Float[np.ndarray, "*s"]:
    """E[interaction²] over the combinations seen, as if one more contrast showed SUPPOSED."""
    D = len(combinations.labels)
    effects = replace(effects, means=effects.means[:D], weights=effects.weights[:, :D])
    centre = np.eye(D) - 1 / D
    spread = _sum_of_squares(effects, centre) / (D - 1)
    left = _sum_of_squares(effects, combinations.left_over)
    return (left + SUPPOSED * spread) / (combinations.spare + 1)


def _sum_of_squares(effects: Effects, M: Float[np.ndarray, "D D"]) -> Float[np.ndarray, "*s"]:
    """Σ_d E[(M β)_d²]."""
    means = np.tensordot(M, effects.means, axes=1)
    of_contrasts = ((effects.weights @ M.T) ** 2).sum(axis=1)
    return (means**2).sum(axis=0) + np.tensordot(of_contrasts, effects.variances, axes=1)
