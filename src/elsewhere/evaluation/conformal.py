"""Intervals that hold the true counterfactual as often as they say, from held-out pairs."""

from dataclasses import dataclass
from math import ceil

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

Rows = Float[np.ndarray, "n m"]


@dataclass(frozen=True)
class Intervals:
    """x̂ ± radius · weight, with weight = (scale + centre)/(2 centre) where the scale informs.

    Attributes:
        level: the least probability with which an interval holds the truth: of each column by
            itself, or of all columns at once where `joint`.
        radius: of each column at weight 1.
        centre: the typical scale of each column; 0 where the scale does not inform.
        joint: whether the columns are covered together.
        count: how many pairs set the radius.
    """

    level: float
    radius: Float[np.ndarray, " m"]
    centre: Float[np.ndarray, " m"]
    joint: bool
    count: int

    def around(self, prediction: ArrayLike, scale: ArrayLike | None = None) -> tuple[Rows, Rows]:
        """(low, high) around each prediction [n, m]; `scale` as it was for `calibrate`."""
        rows = _rows("prediction", prediction, len(self.radius))
        if scale is None and self.centre.any():
            raise ValueError(
                "scale must be given, because these intervals were calibrated with one."
            )
        given = np.zeros_like(rows) if scale is None else _rows("scale", scale, len(self.radius))
        half = self.radius * _weights(given, self.centre)
        return rows - half, rows + half


def calibrate(
    prediction: ArrayLike,
    observed: ArrayLike,
    *,
    level: float = 0.9,
    scale: ArrayLike | None = None,
    joint: bool = False,
) -> Intervals:
    """radius_j = the ⌈(p + 1)·level⌉-th smallest |x̂_ij − x_ij|/weight_ij over p held-out pairs.

    Split conformal: for a new row like these, the interval holds the truth with probability at
    least `level`, whatever the model; the pairs must not have been used to fit it.

    Args:
        prediction: x_{d→d'} of the pairs' source rows, [p, m].
        observed: what they were found to be in d', [p, m].
        level: between 0 and 1.
        scale: how unsure each prediction is thought to be, [p, m], e.g. the width of the spread. It
            is used in the columns where a third of the pairs, set apart, say that it informs.
        joint: whether one statement covers all columns of a row.
    """
    guess = _rows("prediction", prediction, None)
    truth = _rows("observed", observed, guess.shape[1])
    given = None if scale is None else _rows("scale", scale, guess.shape[1])
    if len(truth) != len(guess) or (given is not None and given.shape != guess.shape):
        raise ValueError(
            "prediction, observed and scale must have the same rows; got "
            f"{len(guess)}, {len(truth)} and {None if given is None else len(given)}."
        )
    needed = pairs_needed(level)
    if len(guess) < needed:
        raise ValueError(
            f"level {level} needs at least {needed} held-out pairs; got {len(guess)}. Lower the "
            "level, or give more pairs."
        )
    errors, aside = np.abs(guess - truth), len(guess) // 3
    centre = np.zeros(guess.shape[1])
    if given is not None and len(guess) - aside >= needed:
        centre = _informative(errors[:aside], given[:aside])
        errors, given = errors[aside:], given[aside:]
    weights = np.ones_like(errors) if given is None else _weights(given, centre)
    unit = _unit(guess) if joint else np.ones(guess.shape[1])
    scores = errors / (weights * unit)
    radius = unit * _quantile(scores.max(axis=1, keepdims=True) if joint else scores, level)
    return Intervals(level, radius, centre, joint, len(errors))


def pairs_needed(level: float) -> int:
    """The fewest pairs p with ⌈(p + 1)·level⌉ ≤ p.

    >>> pairs_needed(0.9)
    9
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level}. Use e.g. level=0.9.")
    return ceil(level / (1 - level) - 1e-9)


def coverage(low: Rows, high: Rows, observed: ArrayLike) -> Float[np.ndarray, " m"]:
    """The share of rows inside, by column."""
    truth = np.asarray(observed, float)
    return ((low <= truth) & (truth <= high)).mean(axis=0)


def _quantile(scores: Float[np.ndarray, "p c"], level: float) -> Float[np.ndarray, " c"]:
    rank = ceil((len(scores) + 1) * level - 1e-9)
    return np.sort(scores, axis=0)[rank - 1]


def _informative(errors: Rows, scale: Rows) -> Float[np.ndarray, " m"]:
    """The mean scale of the columns whose errors are likelier in proportion to their weights.

    With |error| exponential, of mean c·weight or of mean c: log mean|e| against
    log mean(|e|/weight) + mean log weight.
    """
    centre = scale.mean(axis=0)
    weights, tiny = _weights(scale, centre), np.finfo(float).tiny
    plain = np.log(errors.mean(axis=0) + tiny)
    scaled = np.log((errors / weights).mean(axis=0) + tiny) + np.log(weights).mean(axis=0)
    return np.where((scaled < plain) & (centre > 0), centre, 0.0)


def _weights(scale: Rows, centre: Float[np.ndarray, " m"]) -> Rows:
    typical = np.where(centre > 0, centre, 1.0)
    return np.where(centre > 0, (scale + typical) / (2 * typical), 1.0)


def _unit(prediction: Rows) -> Float[np.ndarray, " m"]:
    deviation = prediction.std(axis=0)
    return np.where(deviation > 0, deviation, 1.0)


def _rows(name: str, value: ArrayLike, width: int | None) -> Rows:
    rows = np.asarray(value, float)
    if rows.ndim != 2 or width not in (None, rows.shape[1]) or not np.isfinite(rows).all():
        columns = "m" if width is None else width
        raise ValueError(f"{name} must be finite, of shape [rows, {columns}]; got {rows.shape}.")
    return rows
