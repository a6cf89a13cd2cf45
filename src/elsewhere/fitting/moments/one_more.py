"""One more domain for a map by moments: its own offsets and scales, all else as it was."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.effects import Effects
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.shrinkage import shrink_columns
from elsewhere.fitting.moments.unseen import offsets_that_add

Column = Float[np.ndarray, " p"]


def with_domain(
    model: AffineMap,
    name: Hashable,
    rows: Float[np.ndarray, "n p"],
    parts: Float[np.ndarray, " D"] | None = None,
) -> AffineMap:
    """δ_new and L_new from the new rows, column by column, shrunken towards Σ_d w_d β_d.

    Earlier domains keep their numbers, and so their answers; the new one gets no turn of its own,
    but that of its parts.

    Args:
        model: the map.
        name: of the new domain.
        rows: its rows.
        parts: w, what a combination of crossed domains is expected to be; by default the mean of
            all domains.
    """
    n, w = len(rows), np.zeros(len(model.domains)) if parts is None else parts
    away = (rows - model.centre) / model.unit
    spread = away.var(axis=0, ddof=1) if n > 2 else np.ones(rows.shape[1])
    error = 0.5 / (n - 1) if n > 2 else 1e6
    scale = _shrunken(0.5 * np.log(np.maximum(spread, 1e-6)), error, w @ model.scales.means)
    expected = w @ offsets_that_add(model).means / np.exp(scale[0])
    offset = _shrunken((away / np.exp(scale[0])).mean(axis=0), 1 / n, expected)
    turn = np.tensordot(w, model.turns.means, axes=1)
    return replace(
        model,
        domains=(*model.domains, name),
        offsets=_joined(model.offsets, *offset, w),
        scales=_joined(model.scales, *scale, w),
        turns=_joined(model.turns, turn, np.zeros_like(turn), 1.0, w),
    )


def _shrunken(estimate: Column, error: float, expected: Column) -> tuple[Column, Column, float]:
    """(mean, variance, the share of what was expected that is left in the mean)."""
    half = 1 / np.sqrt(2)  # a difference to the mean of all, in the unit of a contrast of two
    errors = np.full((1, len(estimate)), error / 2)
    means, variances = shrink_columns(half * (estimate - expected)[None], errors)
    left = 1 - means[0] / np.where(estimate == expected, 1.0, half * (estimate - expected))
    return expected + means[0] / half, variances[0] / half**2, float(left.mean())


def _joined(
    effects: Effects,
    mean: Float[np.ndarray, "*s"],
    variance: Float[np.ndarray, "*s"],
    left: float,
    parts: Float[np.ndarray, " D"],
) -> Effects:
    """The effects with one more domain, which errs by itself and with what was expected of it."""
    a, D = effects.weights.shape
    weights = np.zeros((a + 1, D + 1))
    weights[:a, :D], weights[a, D] = effects.weights, 1.0
    weights[:a, D] = left * effects.weights @ parts
    return Effects(
        np.concatenate([effects.means, mean[None]]),
        np.concatenate([effects.variances, variance[None]]),
        weights,
        min(effects.p_value, LEVEL) if np.any(mean) else effects.p_value,
    )
