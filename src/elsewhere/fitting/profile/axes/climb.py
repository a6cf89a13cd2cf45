"""Stacks of fits improved and compared, compiled once for every shape."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from elsewhere.fitting.profile.axes.ascent import value_and_gradient, weighted
from elsewhere.fitting.profile.axes.kink import Kink
from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.profile import Rows, latents, profile

SETTLED = 1e-4  # nats per row: a climb that gains less has arrived
TOGETHER = 8  # fits at a time: what their gradients need then stays in a core's own cache
CLIMBS = 8  # at most, however slowly they go on rising
Stack = Float[np.ndarray, "R m m+1"]


def climb(
    stack: Stack,
    rows: Rows,
    kinds: Int[np.ndarray, "R m"],
    kink: Kink,
    widths: tuple[float, ...],
    steps: int,
    blurs: tuple[float, ...] = (),
) -> tuple[Stack, Int[np.ndarray, " R"]]:
    """argmax of the smoothed profile from every fit of the stack, one width after the other.

    Each width has its blur; without blurs all are 0.

    Returns the fits, every axis scaled to unit deviation (a scale that the mechanisms absorb), and
    how many steps each made.
    """
    stages = _floats(np.stack([widths, blurs or np.zeros(len(widths))], axis=1))
    fits, accepted = _climb(_floats(stack), rows, one_hot(kinds), kink, stages, steps)
    return np.asarray(fits, float), np.asarray(accepted)


def settle(
    stack: Stack,
    rows: Rows,
    kinds: Int[np.ndarray, "R m"],
    kink: Kink,
    widths: tuple[float, ...],
    steps: int,
) -> Stack:
    """`climb` for each fit by itself, again and again while its exact likelihood rises."""

    def settled(fit: Stack, kind: Int[np.ndarray, "1 m"]) -> Stack:
        value = exact(fit, rows, kind, kink)
        for _ in range(CLIMBS):
            higher, _ = climb(fit, rows, kind, kink, widths, steps)
            before, after = value, exact(higher, rows, kind, kink)
            if after > before:
                fit, value = higher, after
            if not after > before + SETTLED:
                break
        return fit

    fits = zip(stack[:, None], kinds[:, None], strict=True)
    return np.concatenate([settled(fit, kind) for fit, kind in fits])


def exact(
    stack: Stack, rows: Rows, kinds: Int[np.ndarray, "R m"], kink: Kink
) -> Float[np.ndarray, " R"]:
    """The exact profile likelihood of every fit; −inf where it is not a number."""
    values = np.asarray(_exact(_floats(stack), rows, one_hot(kinds), kink), float)
    return np.where(np.isfinite(values), values, -np.inf)


def one_hot(kinds: Int[np.ndarray, "*R m"]) -> Float[Array, "*R 3 m"]:
    """SHARED, OWN or OWN_BUT_SCALE of each mechanism, as weights."""
    return _floats(np.moveaxis(np.eye(3)[kinds], -1, -2))


def _floats(values: np.ndarray | tuple[float, ...]) -> Array:
    return jnp.asarray(values, jnp.float32)


@partial(jax.jit, static_argnames="steps")
def _climb(
    stack: Float[Array, "R m m+1"],
    rows: Rows,
    kinds: Float[Array, "R 3 m"],
    kink: Kink,
    stages: Float[Array, "w 2"],
    steps: int,
) -> tuple[Float[Array, "R m m+1"], Int[Array, " R"]]:
    prepared, flat = weighted(rows), (len(stack), -1)
    parts = -1, math.gcd(len(stack), TOGETHER)
    grouped = kinds.reshape(*parts, *kinds.shape[1:])

    def stage(points: Array, smooth: Array) -> tuple[Array, Array]:
        def part(group: tuple[Array, Array]) -> tuple[Array, Array]:
            return value_and_gradient(group[0], prepared, group[1], kink, *smooth)

        def loss(trials: Array) -> tuple[Array, Array]:
            fits = trials.reshape(*parts, *stack.shape[1:])
            values, slopes = jax.lax.map(part, (fits, grouped))
            return -values.ravel(), -slopes.reshape(flat)

        ends = minimise_each(loss, points, steps)
        return ends.point, ends.accepted

    points, accepted = jax.lax.scan(stage, stack.reshape(flat), stages)
    ends = jax.vmap(lambda axes: _unit_deviation(axes, rows, kink))(points.reshape(stack.shape))
    return ends, accepted.sum(axis=0)


def _unit_deviation(axes: Float[Array, "m m+1"], rows: Rows, kink: Kink) -> Float[Array, "m m+1"]:
    u = latents(axes, rows.values, kink)[0]
    means = jnp.einsum("din,dn->i", u, rows.weights) / len(u)
    squares = jnp.einsum("din,dn->i", (u - means[:, None]) ** 2, rows.weights) / len(u)
    return axes / jnp.sqrt(squares)[:, None]


@jax.jit
def _exact(
    stack: Float[Array, "R m m+1"], rows: Rows, kinds: Float[Array, "R 3 m"], kink: Kink
) -> Float[Array, " R"]:
    return jax.lax.map(lambda fit: profile(fit[0], rows, fit[1], kink, None), (stack, kinds))
