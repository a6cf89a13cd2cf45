"""L-BFGS that vmaps: exactly one evaluation a step, whatever the line search does."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

Objective = Callable[[Array], tuple[Array, Array]]


class Memory(NamedTuple):
    """Past moves s, changes y of the gradient and 1/(s·y), newest first; 0 where there is none."""

    moves: Float[Array, "memory p"]
    changes: Float[Array, "memory p"]
    inverses: Float[Array, " memory"]


class State(NamedTuple):
    """Where the search is, and the trial step it will evaluate next."""

    point: Float[Array, " p"]
    value: Float[Array, ""]
    gradient: Float[Array, " p"]
    memory: Memory
    direction: Float[Array, " p"]
    length: Float[Array, ""]
    accepted: Int[Array, ""]


def minimise(objective: Objective, start: Float[Array, " p"], steps: int, memory: int = 8) -> State:
    """argmin f by L-BFGS: each step accepts its trial point, or shortens the next trial.

    Args:
        objective: point ↦ (f, ∇f). A trial that is not finite is refused.
        start: the first point.
        steps: evaluations after the first.
        memory: how many past moves shape the metric.
    """
    ends = minimise_each(jax.vmap(objective), start[None], steps, memory)
    return jax.tree.map(lambda leaf: leaf[0], ends)


def minimise_each(
    objective: Objective, starts: Float[Array, "R p"], steps: int, memory: int = 8
) -> State:
    """`minimise` from every start, with the objective of all points at once."""
    first = jax.vmap(partial(_first, memory=memory))(starts)

    def step(state: State, _: None) -> tuple[State, None]:
        trials = jax.vmap(_trial)(state)
        return jax.vmap(_next)(state, trials, *objective(trials)), None

    return jax.lax.scan(step, first, None, length=steps + 1)[0]


def _first(start: Float[Array, " p"], memory: int) -> State:
    zeros = jnp.zeros((memory, start.size), start.dtype)
    empty = Memory(zeros, zeros, jnp.zeros(memory, start.dtype))
    one, infinity = jnp.ones((), start.dtype), jnp.full((), jnp.inf, start.dtype)
    still = jnp.zeros_like(start)
    return State(start, infinity, still, empty, still, one, jnp.zeros((), jnp.int32))


def _trial(state: State) -> Float[Array, " p"]:
    return state.point + state.length * state.direction


def _next(
    state: State, trial: Float[Array, " p"], value: Float[Array, ""], gradient: Float[Array, " p"]
) -> State:
    accept = _sufficient(state, value, gradient)
    memory = _remember(state.memory, trial - state.point, gradient - state.gradient, accept)
    restart = ~accept & (state.length < 1e-3)
    memory = memory._replace(inverses=jnp.where(restart, 0.0, memory.inverses))
    point, kept_value, kept_gradient = (
        jnp.where(accept, new, old)
        for new, old in ((trial, state.point), (value, state.value), (gradient, state.gradient))
    )
    renew = accept | restart
    direction = jnp.where(renew, _direction(kept_gradient, memory), state.direction)
    length = jnp.where(renew, 1.0, 0.4 * state.length)
    accepted = state.accepted + accept
    return State(point, kept_value, kept_gradient, memory, direction, length, accepted)


def _sufficient(
    state: State, value: Float[Array, ""], gradient: Float[Array, " p"]
) -> Bool[Array, ""]:
    """Armijo's rule, on finite values."""
    expected = 1e-4 * state.length * (state.gradient @ state.direction)
    finite = jnp.isfinite(value) & jnp.all(jnp.isfinite(gradient))
    return finite & (value <= state.value + expected)


def _remember(
    memory: Memory, move: Float[Array, " p"], change: Float[Array, " p"], accept: Bool[Array, ""]
) -> Memory:
    """Push (s, y, 1/s·y) where the curvature along the move is positive."""
    curvature = move @ change
    good = accept & (curvature > 1e-8 * (change @ change))
    new = (move, change, 1 / jnp.where(good, curvature, 1.0))
    pushed = (jnp.roll(old, 1, 0).at[0].set(n) for old, n in zip(memory, new, strict=True))
    return Memory(*(jnp.where(good, p, old) for p, old in zip(pushed, memory, strict=True)))


def _direction(gradient: Float[Array, " p"], memory: Memory) -> Float[Array, " p"]:
    """−H ∇f by the two loops; −∇f where that does not descend."""

    def newest_first(vector: Array, past: Memory) -> tuple[Array, Array]:
        share = past.inverses * (past.moves @ vector)
        return vector - share * past.changes, share

    def oldest_first(vector: Array, past: tuple[Memory, Array]) -> tuple[Array, None]:
        old, share = past
        return vector + old.moves * (share - old.inverses * (old.changes @ vector)), None

    vector, shares = jax.lax.scan(newest_first, gradient, memory)
    scaled = _first_guess(gradient, memory) * vector
    vector, _ = jax.lax.scan(oldest_first, scaled, (memory, shares), reverse=True)
    return -jnp.where(gradient @ vector > 0, vector, gradient)


def _first_guess(gradient: Float[Array, " p"], memory: Memory) -> Float[Array, ""]:
    """s·y / y·y of the newest move; a step of length 0.1 where there is none."""
    move, change = memory.moves[0], memory.changes[0]
    scale = (move @ change) / jnp.maximum(change @ change, 1e-30)
    return jnp.where(
        memory.inverses[0] > 0, scale, 0.1 / jnp.maximum(jnp.linalg.norm(gradient), 1.0)
    )
