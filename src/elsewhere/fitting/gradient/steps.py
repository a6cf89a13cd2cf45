"""Adam on an objective: many restarts, one compiled chunk of steps at a time."""

from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

TICK = 100  # steps between two looks at the validation rows, and the length of a compiled chunk

Objective = Callable[[PyTree, PyTree, Array, Array], Array]  # (params, given, rows, step) ↦ nats
Judge = Callable[[PyTree, PyTree, PyTree], Array]  # (params, given, valid) ↦ nats


class State(NamedTuple):
    """Where each restart is, and the best it has been; every leaf leads with the restart."""

    params: PyTree
    moments: PyTree
    best: PyTree
    best_value: Float[Array, " R"]


class Ascent(NamedTuple):
    """What stays the same throughout a fit. `x` repeats its first rows after its last.

    `objective` is what the steps climb, on a batch of rows; `judge` is what a restart is compared
    and stopped by, on `valid`. Pass the same functions again and nothing is compiled again.
    """

    objective: Objective
    judge: Judge
    given: PyTree
    x: Float[Array, "m D n_plus"]
    valid: PyTree
    clip: Float[Array, ""]
    weight_decay: Float[Array, ""]
    batch: int


def wrap_rows(x: Float[Array, "m D n"], batch: int) -> Float[Array, "m D n_plus"]:
    """x followed by its first `batch` rows, so that every cyclic slice is contiguous."""
    return jnp.concatenate([x, x[..., :batch]], axis=-1)


def learning_rates(steps: int, peak: float, warmup: float = 0.02) -> Float[np.ndarray, " steps"]:
    """η_t = peak · min(t/warm, 1) · (1 + cos(π t/steps))/2, never below peak/1000."""
    t = np.arange(steps)
    ramp = np.minimum((t + 1) / max(1.0, warmup * steps), 1.0)
    return peak * ramp * np.maximum(0.5 * (1 + np.cos(np.pi * t / steps)), 1e-3)


def start(params: PyTree, clip: Float[Array, ""]) -> State:
    """The state before the first step, from parameters that lead with the restart."""
    moments = jax.vmap(_optimiser(clip).init)(eqx.filter(params, eqx.is_inexact_array))
    restarts = jax.tree.leaves(params)[0].shape[0]
    return State(params, moments, params, jnp.full(restarts, -jnp.inf))


@eqx.filter_jit
def run_chunk(
    state: State, ascent: Ascent, first: Int[Array, ""], rates: Float[Array, " steps"]
) -> tuple[State, Float[Array, "R steps"], Float[Array, " R"]]:
    """(state, loss at each step, validation log-likelihood) after `len(rates)` steps of Adam.

    A batch of one restart is multiplied out by loops: alone, a step takes two thirds of the time.
    """

    def one(state: State) -> tuple[State, Array, Array]:
        step = lambda carry, t: _step(carry, ascent, *t)  # noqa: E731
        times = first + jnp.arange(len(rates))
        moving, still = eqx.partition(state.params, eqx.is_inexact_array)
        carry = (moving, still, state.moments)
        (moving, _, moments), losses = jax.lax.scan(step, carry, (times, rates))
        params = eqx.combine(moving, still)
        value = ascent.judge(params, ascent.given, ascent.valid)
        best = _where(value > state.best_value, params, state.best)
        best_value = jnp.fmax(value, state.best_value)
        return State(params, moments, best, best_value), losses, value

    if len(state.best_value) == 1:
        return jax.tree.map(lambda a: a[None], one(jax.tree.map(lambda a: a[0], state)))
    return jax.vmap(one)(state)


def keep_restarts(state: State, kept: Int[np.ndarray, " kept"]) -> State:
    """The state of the restarts at these positions only."""
    return jax.tree.map(lambda a: a[kept], state)


def _step(
    carry: tuple[PyTree, PyTree, PyTree], ascent: Ascent, t: Array, rate: Array
) -> tuple[tuple[PyTree, PyTree, PyTree], Array]:
    moving, still, moments = carry
    loss, gradient = jax.value_and_grad(_loss)(moving, still, ascent, t)
    updates, moments = _optimiser(ascent.clip).update(gradient, moments, moving)
    decay = ascent.weight_decay
    moving = jax.tree.map(lambda p, u: p - rate * (u + decay * p), moving, updates)
    return (moving, still, moments), loss


def _loss(moving: PyTree, still: PyTree, ascent: Ascent, t: Array) -> Array:
    params = eqx.combine(moving, still)
    return -ascent.objective(params, ascent.given, _rows(ascent, t), t)


def _rows(ascent: Ascent, t: Array) -> Float[Array, "m D batch"]:
    n = ascent.x.shape[-1] - ascent.batch
    return jax.lax.dynamic_slice_in_dim(ascent.x, (t * ascent.batch) % n, ascent.batch, -1)


def _optimiser(clip: Array) -> optax.GradientTransformation:
    return optax.chain(optax.clip_by_global_norm(clip), optax.scale_by_adam())  # type: ignore[arg-type]


def _where(better: Array, new: PyTree, old: PyTree) -> PyTree:
    return jax.tree.map(lambda a, b: jnp.where(better, a, b), new, old)
