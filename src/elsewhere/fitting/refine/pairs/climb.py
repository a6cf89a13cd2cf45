"""Stacks of models improved and compared on rows and pairs together, compiled once a shape."""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.profile import WeightedRows
from elsewhere.fitting.profile.kink import Kink
from elsewhere.fitting.refine.pairs.objective import (
    Evidence,
    PackedPairs,
    PairedParameters,
    Tying,
    joint,
    pair_errors,
    tied,
)

WIDTHS = (0.03, 0.02, 0.01)  # of the smoothed kinks, as fractions of the latents' deviation
TOGETHER = 8  # models at a time: every stack has as many, so that one compilation serves all


class Runs(NamedTuple):
    """One model a run, which of its rows are shared, and how it believes the pairs."""

    params: PairedParameters
    tying: Tying
    evidence: Evidence


def climb_jointly(
    runs: Sequence[Runs], rows: WeightedRows, pairs: PackedPairs, kink: Kink, steps: int
) -> tuple[list[PairedParameters], Float[np.ndarray, " R"]]:
    """argmax of the smoothed joint likelihood from every run, and its exact value there.

    A run that ends below its start, exactly measured, stays where it was.
    """
    ends: list[PairedParameters] = []
    values: list[np.ndarray] = []
    for first in range(0, len(runs), TOGETHER):
        chunk = [runs[i % len(runs)] for i in range(first, first + TOGETHER)]
        stack = jax.tree.map(lambda *leaves: jnp.stack(leaves), *chunk)
        params, value = _climb(stack, rows, pairs, kink, steps)
        ends += [jax.tree.map(lambda leaf, i=i: leaf[i], params) for i in range(TOGETHER)]
        values.append(value)
    return ends[: len(runs)], _finite(np.concatenate(values)[: len(runs)])


def _climb(
    runs: Runs, rows: WeightedRows, pairs: PackedPairs, kink: Kink, steps: int
) -> tuple[PairedParameters, Float[np.ndarray, " R"]]:
    where, starts = (rows, pairs, kink), _flat(runs.params)
    points = starts
    for width in WIDTHS:

        def loss(
            trials: np.ndarray, which: np.ndarray, width: float = width
        ) -> tuple[np.ndarray, np.ndarray]:
            params = _like(runs.params, trials)
            values, slopes = _slopes(runs._replace(params=params), *where, np.float32(width))
            return -np.asarray(values, float), -_flat(slopes)

        points = minimise_each(loss, points, steps).points
    ends = _like(runs.params, points)
    before, after = (_values(runs._replace(params=p), *where) for p in (runs.params, ends))
    better = np.asarray(after > before)
    best = _like(runs.params, np.where(better[:, None], points, starts))
    return best, np.where(better, after, before)


def _flat(params: PairedParameters) -> Float[np.ndarray, "R p"]:
    """All parameters of each run in one row."""
    return np.concatenate([np.asarray(leaf, float).reshape(len(leaf), -1) for leaf in params], 1)


def _like(params: PairedParameters, flat: Float[np.ndarray, "R p"]) -> PairedParameters:
    """The rows as parameters of those shapes."""
    ends = np.cumsum([leaf[0].size for leaf in params])[:-1]
    parts = zip(params, np.split(flat, ends, axis=1), strict=True)
    return PairedParameters(*(jnp.asarray(p.reshape(leaf.shape), leaf.dtype) for leaf, p in parts))


@jax.jit
def _slopes(
    runs: Runs, rows: WeightedRows, pairs: PackedPairs, kink: Kink, width: Float[Array, ""]
) -> tuple[Float[Array, " R"], PairedParameters]:
    def one(run: Runs) -> tuple[Array, PairedParameters]:
        def value(params: PairedParameters) -> Array:
            return joint(params, run.tying, rows, pairs, run.evidence, kink, width)

        return jax.value_and_grad(value)(run.params)

    return jax.vmap(one)(runs)


@jax.jit
def _values(runs: Runs, rows: WeightedRows, pairs: PackedPairs, kink: Kink) -> Float[Array, " R"]:
    return jax.vmap(lambda run: _value(run, rows, pairs, kink))(runs)


def joint_value(run: Runs, rows: WeightedRows, pairs: PackedPairs, kink: Kink) -> float:
    """The exact joint likelihood of a run as it is; −inf where it is none."""
    return float(_finite(np.asarray(_value(run, rows, pairs, kink))))


@jax.jit
def _value(run: Runs, rows: WeightedRows, pairs: PackedPairs, kink: Kink) -> Float[Array, ""]:
    return joint(run.params, run.tying, rows, pairs, run.evidence, kink, None)


@jax.jit
def moved_pairs(
    params: PairedParameters, tying: Tying, pairs: PackedPairs, kink: Kink
) -> Float[Array, "p m"]:
    """x_{d→d'}(x) − x' of every pair, in within-domain deviations."""
    return pair_errors(tied(params, tying), pairs, kink)


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, -np.inf).astype(float)
