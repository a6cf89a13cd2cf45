"""Gradient descent on random batches, compiled in chunks: what trains every network here."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, PyTree, Shaped

from elsewhere.draws import generator
from elsewhere.images.optimisers import ADAM

StepProgress = Callable[[int, int, float], None]  # step, steps in all, and the loss
Loss = Callable[..., Float[Array, ""]]  # of (model, now, *rows of each array); hashable
Model = TypeVar("Model")
CHUNK = 20  # steps compiled as one, between two reports


class TrainingError(ValueError):
    """A training that did not end in a network."""


class Now(NamedTuple):
    """What a loss may use at a step: a key to draw with, and the share of all steps done, 0..1."""

    key: PRNGKeyArray
    done: Float[Array, ""]


class Feed(NamedTuple):
    """What each of the steps of a chunk needs: which rows, what to draw, how far to go."""

    rows: Int[Array, "steps batch"]
    keys: Key[Array, " steps"]
    done: Float[Array, " steps"]
    rates: Float[Array, " steps"]


def descend(
    key: PRNGKeyArray,
    model: Model,
    loss: Loss,
    data: tuple[Shaped[Array, "n ..."], ...],
    *,
    steps: int,
    batch: int,
    rate: float,
    falling: bool = True,
    optimiser: optax.GradientTransformation = ADAM,
    progress: StepProgress | None = None,
) -> Model:
    """model − Σ_t rate_t · step(∇ loss): the rate falls to 0 along a cosine, or stays.

    Args:
        key: random key of the batches and of the loss.
        model: its floating-point arrays move.
        loss: of a batch; equal losses compile once.
        data: arrays of the same length n; a batch has the same rows of each.
        steps: how many batches; rounded up to a multiple of 20.
        batch: rows in each.
        rate: the learning rate at the start.
        falling: whether it falls to 0 along a cosine.
        optimiser: from gradients to steps; one of `elsewhere.images.optimisers`.
        progress: called with (steps done, steps in all, mean loss of the last 20).
    """
    if min(steps, batch) < 1 or not rate > 0:
        raise ValueError(f"steps, batch and rate must be positive; got {steps}, {batch}, {rate}.")
    moments = optimiser.init(eqx.filter(model, eqx.is_inexact_array))
    total = -(-steps // CHUNK) * CHUNK
    rates = rate * (_cosine(total) if falling else np.ones(total))
    for chunk, feed in enumerate(_feeds(key, len(data[0]), total, batch, rates), 1):
        model, moments, value = _run(model, moments, data, feed, loss, optimiser)
        _report(chunk * CHUNK, total, float(value), progress)
    return model


def _cosine(total: int) -> Float[np.ndarray, " total"]:
    return 0.5 * (1 + np.cos(np.pi * np.arange(total) / total))


def _feeds(
    key: PRNGKeyArray, n: int, total: int, batch: int, rates: Float[np.ndarray, " total"]
) -> Iterator[Feed]:
    rows_key, draws_key = jax.random.split(key)
    rows = jnp.asarray(_batches(generator(rows_key), n, total, min(batch, n)))
    keys = jax.random.split(draws_key, total)
    done = jnp.arange(total, dtype=jnp.float32) / total
    paces = jnp.asarray(rates, jnp.float32)
    for start in range(0, total, CHUNK):
        part = slice(start, start + CHUNK)
        yield Feed(rows[part], keys[part], done[part], paces[part])


def _batches(
    rng: np.random.Generator, n: int, steps: int, batch: int
) -> Int[np.ndarray, "steps batch"]:
    """Rows in random order, all of them before any comes again."""
    epochs = -(-steps * batch // n)
    rows = np.concatenate([rng.permutation(n) for _ in range(epochs)])
    return rows[: steps * batch].reshape(steps, batch)


def _report(step: int, total: int, loss: float, progress: StepProgress | None) -> None:
    if not np.isfinite(loss):
        raise TrainingError(
            f"the loss must stay finite; it is {loss} after {step} steps. Lower the rate."
        )
    if progress is not None:
        progress(step, total, loss)


@eqx.filter_jit
def _run(
    model: PyTree,
    moments: PyTree,
    data: tuple[Array, ...],
    feed: Feed,
    loss: Loss,
    optimiser: optax.GradientTransformation,
) -> tuple[PyTree, PyTree, Float[Array, ""]]:
    """(model, moments, mean loss) after the steps of one chunk."""
    moving, still = eqx.partition(model, eqx.is_inexact_array)

    def step(carry: tuple[PyTree, PyTree], now: Feed) -> tuple[tuple[PyTree, PyTree], Array]:
        moving, moments = carry
        rows = [array[now.rows] for array in data]
        value, slope = jax.value_and_grad(
            lambda moving: loss(eqx.combine(moving, still), Now(now.keys, now.done), *rows)
        )(moving)
        updates, moments = optimiser.update(slope, moments, moving)
        moving = jax.tree.map(lambda p, u: p - now.rates.astype(p.dtype) * u, moving, updates)
        return (moving, moments), value

    (moving, moments), values = jax.lax.scan(step, (moving, moments), feed)
    return eqx.combine(moving, still), moments, values.mean()
