"""Stacks of models improved and compared on rows and pairs together, compiled once a shape."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from elsewhere.fitting.profile.axes.kink import Kink
from elsewhere.fitting.profile.axes.lbfgs import minimise
from elsewhere.fitting.profile.axes.profile import Rows
from elsewhere.fitting.refine.pairs.objective import (
    Evidence,
    PackedPairs,
    Parameters,
    Tying,
    joint,
    pair_errors,
    tied,
)

WIDTHS = (0.03, 0.02, 0.01)  # of the smoothed kinks, as fractions of the latents' deviation
TOGETHER = 8  # models at a time: every stack has as many, so that one compilation serves all


class Runs(NamedTuple):
    """One model a run, which of its rows are shared, and how it believes the pairs."""

    params: Parameters
    tying: Tying
    evidence: Evidence


def climb_jointly(
    runs: Sequence[Runs], rows: Rows, pairs: PackedPairs, kink: Kink, steps: int
) -> tuple[list[Parameters], Float[np.ndarray, " R"]]:
    """argmax of the smoothed joint likelihood from every run, and its exact value there.

    A run that ends below its start, exactly measured, stays where it was.
    """
    ends: list[Parameters] = []
    values: list[Array] = []
    for first in range(0, len(runs), TOGETHER):
        chunk = [runs[i % len(runs)] for i in range(first, first + TOGETHER)]
        stack = jax.tree.map(lambda *leaves: jnp.stack(leaves), *chunk)
        params, value = _climb(stack, rows, pairs, kink, steps)
        ends += [jax.tree.map(lambda leaf, i=i: leaf[i], params) for i in range(TOGETHER)]
        values.append(value)
    return ends[: len(runs)], _finite(np.concatenate(values)[: len(runs)])


@partial(jax.jit, static_argnames="steps")
def _climb(
    runs: Runs, rows: Rows, pairs: PackedPairs, kink: Kink, steps: int
) -> tuple[Parameters, Float[Array, " R"]]:

    def one(run: Runs) -> tuple[Parameters, Array]:
        def value(params: Parameters, width: Array | None) -> Array:
            return joint(params, run.tying, rows, pairs, run.evidence, kink, width)

        start, unravel = ravel_pytree(run.params)

        def stage(point: Array, width: Array) -> tuple[Array, None]:
            loss = jax.value_and_grad(lambda p: -value(unravel(p), width))
            return minimise(loss, point, steps).point, None

        end, _ = jax.lax.scan(stage, start, jnp.asarray(WIDTHS, start.dtype))
        before, after = value(run.params, None), value(unravel(end), None)
        better = after > before
        return unravel(jnp.where(better, end, start)), jnp.where(better, after, before)

    return jax.vmap(one)(runs)


def joint_value(run: Runs, rows: Rows, pairs: PackedPairs, kink: Kink) -> float:
    """The exact joint likelihood of a run as it is; −inf where it is none."""
    return float(_finite(np.asarray(_value(run, rows, pairs, kink))))


@jax.jit
def _value(run: Runs, rows: Rows, pairs: PackedPairs, kink: Kink) -> Float[Array, ""]:
    return joint(run.params, run.tying, rows, pairs, run.evidence, kink, None)


@jax.jit
def moved_pairs(
    params: Parameters, tying: Tying, pairs: PackedPairs, kink: Kink
) -> Float[Array, "p m"]:
    """x_{d→d'}(x) − x' of every pair, in within-domain deviations."""
    return pair_errors(tied(params, tying), pairs, kink)


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, -np.inf).astype(float)
