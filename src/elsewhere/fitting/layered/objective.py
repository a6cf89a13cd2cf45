"""The likelihood as a function of two layers of axes and their slopes, mechanisms at their best."""

from types import ModuleType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.profile.axes.climb import one_hot
from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.profile import WeightedRows, latents, negative_share, profile
from elsewhere.fitting.profile.kink import kink_at
from elsewhere.fitting.profile.moments import Axes

WIDTHS = (0.14, 0.07, 0.03, 0.01)  # of the smoothed kinks, one stage of a climb after the other
STEPS, MEMORY = 100, 20  # of each stage; past moves that shape the metric
ARRIVED = 1e-5  # nats per row in a few steps: fewer and a stage ends
LEAST, MOST = 0.05, 0.95  # slopes that are considered
MIDDLE, HALF = (MOST + LEAST) / 2, (MOST - LEAST) / 2
Either = Any  # an array of NumPy or of JAX
Point = Float[Array, " q"]


class Layers(NamedTuple):
    """u = W_o y + β_o, h = LeakyReLU⁻¹(u), v = W_i h + β_i, z = LeakyReLU⁻¹(v): from y to z.

    Each layer has its slope.
    """

    outer: Axes
    inner: Axes
    slopes: tuple[float, float]


def climb(layers: Layers, rows: WeightedRows) -> tuple[Layers, float]:
    """argmax of `two_layer_profile` from there, and its exact value, every mechanism OWN."""
    m = len(layers.outer)
    kinds = jnp.asarray(one_hot(np.full(m, OWN)))
    point = as_point(_unit_deviation(layers, rows))
    for width in WIDTHS:

        def loss(
            points: np.ndarray, _which: np.ndarray, width: float = width
        ) -> tuple[np.ndarray, np.ndarray]:
            value, slope = _value_and_slope(points[0].astype(np.float32), rows, kinds, width)
            return -np.array([value], float), -np.asarray(slope, float)[None]

        point = minimise_each(loss, point[None], STEPS, MEMORY, ARRIVED).points[0]
        point = as_point(_unit_deviation(_layers(point, m), rows))
    return _layers(point, m), float(_exact(point.astype(np.float32), rows, kinds))


def two_layer_profile(
    point: Point,
    rows: WeightedRows,
    kinds: Float[Array, "3 m"],
    width: Float[Array, ""] | float | None,
) -> Float[Array, ""]:
    """`profile` of the inner layer in the coordinates h of the outer one, + log|det ∂h/∂y|."""
    m = rows.values.shape[1]
    outer, inner = point[:-2].reshape(2, m, m + 1)
    kinks = [kink_at(slope, jnp) for slope in _slopes(point[-2:], jnp)]
    u, h = latents(outer, rows.values, kinks[0])
    log_det = jnp.linalg.slogdet(outer[:, :-1])[1]
    below = negative_share(u, rows.weights, kinks[0], width)  # type: ignore[arg-type]
    flat = WeightedRows(h, rows.weights)
    value = profile(inner, flat, kinds, kinks[1], width)  # type: ignore[arg-type]
    return value + log_det + kinks[0].log_ratio * below


@jax.jit
def _exact(point: Point, rows: WeightedRows, kinds: Float[Array, "3 m"]) -> Float[Array, ""]:
    return two_layer_profile(point, rows, kinds, None)


_value_and_slope = jax.jit(jax.value_and_grad(two_layer_profile))


def as_point(layers: Layers) -> np.ndarray:
    """Both axes and, unbounded, both slopes."""
    free = np.arctanh((np.clip(layers.slopes, LEAST + 1e-3, MOST - 1e-3) - MIDDLE) / HALF)
    return np.concatenate([layers.outer.ravel(), layers.inner.ravel(), free])


def _slopes(free: Either, xp: ModuleType) -> Either:
    """From unbounded numbers to slopes."""
    return MIDDLE + HALF * xp.tanh(free)


def _layers(point: np.ndarray, m: int) -> Layers:
    outer, inner = point[:-2].reshape(2, m, m + 1)
    first, second = _slopes(point[-2:], np)
    return Layers(outer, inner, (float(first), float(second)))


def _deviations(u: Float[np.ndarray, "D m n"], weights: Float[np.ndarray, "D n"]) -> np.ndarray:
    """Of every row of u over all domains, each weighing the same."""
    centred = u - np.einsum("din,dn->i", u, weights)[:, None] / len(u)
    return np.sqrt(np.einsum("din,dn->i", centred**2, weights) / len(u))


def _unit_deviation(layers: Layers, rows: WeightedRows) -> Layers:
    """The same map, every axis of unit deviation: the next layer, or mechanisms, absorb scales."""
    values, weights = (np.asarray(part) for part in rows)
    kink = kink_at(layers.slopes[0], np)
    u = layers.outer[:, :-1] @ values + layers.outer[:, -1:]
    first = _deviations(u, weights)
    outer = layers.outer / first[:, None]
    inner = layers.inner * np.r_[first, 1.0]
    h = u + kink.stretch * np.minimum(u, 0)
    v = layers.inner[:, :-1] @ h + layers.inner[:, -1:]
    return Layers(outer, inner / _deviations(v, weights)[:, None], layers.slopes)
