"""One more domain for a map by moments: its own offsets and scales, all else as it was."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.effects import Effects
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.shrinkage import shrink_columns


def with_domain(model: AffineMap, name: Hashable, rows: Float[np.ndarray, "n p"]) -> AffineMap:
    """δ_new and L_new from the new rows, column by column, shrunken towards the mean of all.

    Earlier domains keep their numbers, and so their answers; the new one gets no turn of its own.
    """
    n, share = len(rows), 1 / np.sqrt(2)
    away = (rows - model.centre) / model.unit
    spread = away.var(axis=0, ddof=1) if n > 2 else np.ones(rows.shape[1])
    logs = 0.5 * np.log(np.maximum(spread, 1e-6))
    error = np.full_like(logs, 0.5 / max(n - 1, 1e-6) if n > 2 else 1e6)
    scales, scale_errors = shrink_columns(share * logs[None], error[None] / 2)
    own = np.exp(-scales[0] / share)
    means = (away * own).mean(axis=0)
    offsets, offset_errors = shrink_columns(share * means[None], np.full((1, len(means)), 0.5 / n))
    return replace(
        model,
        domains=(*model.domains, name),
        offsets=_joined(model.offsets, offsets[0] / share, offset_errors[0] / share**2),
        scales=_joined(model.scales, scales[0] / share, scale_errors[0] / share**2),
        turns=_joined(model.turns, np.zeros_like(model.turns.means[0]), None),
    )


def _joined(
    effects: Effects, mean: Float[np.ndarray, "*s"], variance: Float[np.ndarray, "*s"] | None
) -> Effects:
    """The effects with one more row, whose error is a contrast of its own."""
    D = effects.weights.shape[1]
    weights = np.zeros((len(effects.weights) + 1, D + 1))
    weights[:-1, :D], weights[-1, D] = effects.weights, 1.0
    added = np.zeros_like(mean) if variance is None else variance
    return Effects(
        np.concatenate([effects.means, mean[None]]),
        np.concatenate([effects.variances, added[None]]),
        weights,
        min(effects.p_value, LEVEL) if np.any(mean) else effects.p_value,
    )
