"""L-BFGS from many starts at once: exactly one evaluation a step, whatever the line search does."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

Points = Float[np.ndarray, "R p"]
Which = Int[np.ndarray, " _"]
Objective = Callable[[Points, Which], tuple[Float[np.ndarray, " R"], Points]]
STALLED = 6  # evaluations in a row that gain less than the tolerance in all: a search has arrived


class Memory(NamedTuple):
    """Past moves s, changes y of the gradient and 1/(s·y), newest first; 0 where there is none."""

    moves: Float[np.ndarray, "memory R p"]
    changes: Float[np.ndarray, "memory R p"]
    inverses: Float[np.ndarray, "memory R"]


class State(NamedTuple):
    """Where the searches are, and the trial steps they will evaluate next."""

    points: Points
    values: Float[np.ndarray, " R"]
    gradients: Points
    memory: Memory
    directions: Points
    lengths: Float[np.ndarray, " R"]
    accepted: Int[np.ndarray, " R"]


def minimise_each(
    objective: Objective, starts: Points, steps: int, memory: int = 8, tolerance: float = -np.inf
) -> State:
    """argmin f by L-BFGS from every start: each step accepts its trial, or shortens the next.

    Args:
        objective: (points, which of the starts they come from) ↦ (f, ∇f) of all of them. A trial
            that is not finite is refused.
        starts: the first points.
        steps: evaluations after the first, at most.
        memory: how many past moves shape the metric.
        tolerance: a search that gains no more than this in STALLED evaluations ends.
    """
    state, which = _first(np.asarray(starts, float), memory), np.arange(len(starts))
    ends, values = [], [state.values]
    with np.errstate(all="ignore"):
        for _ in range(steps + 1):
            trials = state.points + state.lengths[:, None] * state.directions
            state = _next(state, trials, *objective(trials, which))
            values = [*values, state.values][-STALLED - 1 :]
            arrived = values[0] - state.values <= tolerance
            if len(values) > STALLED and arrived.any():
                ends.append((which[arrived], _some(state, arrived)))
                which, state = which[~arrived], _some(state, ~arrived)
                values = [value[~arrived] for value in values]
            if not len(which):
                break
    return _together([*ends, (which, state)])


def _some(state: State, which: Bool[np.ndarray, " R"]) -> State:
    """Some of the searches."""
    past = Memory(*(part[:, which] for part in state.memory))
    parts = state._replace(memory=past)._asdict()
    return State(**{n: p if n == "memory" else p[which] for n, p in parts.items()})


def _together(ends: list[tuple[Which, State]]) -> State:
    """All searches, in the order of their starts."""
    order = np.argsort(np.concatenate([which for which, _ in ends]))
    states = [state for _, state in ends]
    past = zip(*(state.memory for state in states), strict=True)
    memory = Memory(*(np.concatenate(part, axis=1)[:, order] for part in past))
    kept = [name for name in State._fields if name != "memory"]
    parts = {n: np.concatenate([getattr(s, n) for s in states])[order] for n in kept}
    return State(**parts, memory=memory)


def _first(starts: Points, memory: int) -> State:
    R, still = len(starts), np.zeros_like(starts)
    zeros = np.zeros((memory, *starts.shape))
    empty = Memory(zeros, zeros, np.zeros((memory, R)))
    return State(starts, np.full(R, np.inf), still, empty, still, np.ones(R), np.zeros(R, int))


def _next(
    state: State, trials: Points, values: Float[np.ndarray, " R"], gradients: Points
) -> State:
    accept = _sufficient(state, values, gradients)
    moves, changes = trials - state.points, gradients - state.gradients
    memory = _remember(state.memory, moves, changes, accept)
    restart = ~accept & (state.lengths < 1e-3)
    memory = memory._replace(inverses=np.where(restart, 0.0, memory.inverses))
    points, gradients = (
        np.where(accept[:, None], new, old)
        for new, old in ((trials, state.points), (gradients, state.gradients))
    )
    renew = accept | restart
    directions = np.where(renew[:, None], _directions(gradients, memory), state.directions)
    return State(
        points,
        np.where(accept, values, state.values),
        gradients,
        memory,
        directions,
        np.where(renew, 1.0, 0.4 * state.lengths),
        state.accepted + accept,
    )


def _sufficient(
    state: State, values: Float[np.ndarray, " R"], gradients: Points
) -> Bool[np.ndarray, " R"]:
    """Armijo's rule, on finite values."""
    expected = 1e-4 * state.lengths * _dot(state.gradients, state.directions)
    finite = np.isfinite(values) & np.isfinite(gradients).all(axis=1)
    return finite & (values <= state.values + expected)


def _remember(
    memory: Memory, moves: Points, changes: Points, accept: Bool[np.ndarray, " R"]
) -> Memory:
    """Push (s, y, 1/s·y) where the curvature along the move is positive."""
    curvature = _dot(moves, changes)
    good = accept & (curvature > 1e-8 * _dot(changes, changes))
    new = moves, changes, 1 / np.where(good, curvature, 1.0)
    return Memory(*(_pushed(old, n, good) for old, n in zip(memory, new, strict=True)))


def _pushed(old: np.ndarray, new: np.ndarray, good: Bool[np.ndarray, " R"]) -> np.ndarray:
    mask = good.reshape(-1, *(1,) * (new.ndim - 1))
    return np.where(mask, np.concatenate([new[None], old[:-1]]), old)


def _directions(gradients: Points, memory: Memory) -> Points:
    """−H ∇f by the two loops; −∇f where that does not descend."""
    vectors, shares = gradients, []
    for move, change, inverse in zip(*memory, strict=True):
        shares.append(inverse * _dot(move, vectors))
        vectors = vectors - shares[-1][:, None] * change
    vectors = _first_guess(gradients, memory)[:, None] * vectors
    for move, change, inverse, share in reversed(list(zip(*memory, shares, strict=True))):
        vectors = vectors + move * (share - inverse * _dot(change, vectors))[:, None]
    descends = _dot(gradients, vectors) > 0
    return -np.where(descends[:, None], vectors, gradients)


def _first_guess(gradients: Points, memory: Memory) -> Float[np.ndarray, " R"]:
    """s·y / y·y of the newest move; a step of length 0.1 where there is none."""
    move, change = memory.moves[0], memory.changes[0]
    scale = _dot(move, change) / np.maximum(_dot(change, change), 1e-30)
    short = 0.1 / np.maximum(np.linalg.norm(gradients, axis=1), 1.0)
    return np.where(memory.inverses[0] > 0, scale, short)


def _dot(one: Points, other: Points) -> Float[np.ndarray, " R"]:
    return np.einsum("rp,rp->r", one, other)
