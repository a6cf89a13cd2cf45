"""The largest gap between functions: many points first, then a climb from the worst of them."""

from collections.abc import Callable
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtri
from jaxtyping import Array, Float, PyTree
from scipy.stats import qmc

from elsewhere.theory.climb import REACH, Measured, climb
from elsewhere.theory.rounding import SLACK, check_tolerance, coarsest_eps, jittered, stacked

NUM_POINTS = 4096
RESOLVED = 0.05
_CLIMBS, _ALL_CLIMBS = 4, 64
_BATCH = 256

# (models, ε) ↦ differences whose last axis names what they belong to, in deviations or nats.
Difference = Callable[[PyTree, Float[Array, " m"]], Float[Array, "... c"]]


@dataclass(frozen=True)
class LargestGap:
    """Per component the gap and the tolerance where gap / tolerance is largest.

    `resolved`: at half of the points, at least, rounding stays below `RESOLVED`.
    """

    gaps: Float[np.ndarray, " c"]
    tolerances: Float[np.ndarray, " c"]
    num_points: int
    num_climbs: int
    resolved: bool

    @property
    def worst(self) -> int:
        """The component with the largest gap / tolerance."""
        return int(np.argmax(_ratio(self.gaps, self.tolerances)))


def largest_differences(
    difference: Difference,
    models: PyTree,
    m: int,
    *,
    num_points: int = NUM_POINTS,
    tolerance: float | None = None,
    each: bool = False,
) -> LargestGap:
    """max over ε of |difference(models, ε)| by component, with what rounding allows at each ε.

    The tolerance at ε, where none is given, is 10 √eps of the coarsest dtype plus `SLACK` times
    the change of the difference when every parameter is off by one rounding unit. A gap that is
    gone a hair's breadth away lies on a kink that rounding has moved, and does not count. Nothing
    is climbed where the points already show one gap too large, or, with `each`, in every component.
    """
    check_tolerance(tolerance)
    points = probe_noise(num_points, m)
    measured = _compiled(difference, models)
    gaps, floors = measured(points)
    limits = _limits(models, floors, tolerance)
    resolved = tolerance is not None or bool((limits.max(1) <= RESOLVED).mean() >= 0.5)
    seen = ~(gaps <= limits).all(axis=0)
    if seen.all() if each else seen.any():
        return _worst_of(gaps, limits, num_points, 0, resolved=resolved)
    most = max(1, min(_CLIMBS, _ALL_CLIMBS // gaps.shape[1]))
    starts = np.argsort(-gaps, axis=0)[:most]
    components = np.broadcast_to(np.arange(gaps.shape[1]), starts.shape)
    ends = climb(measured, np.asarray(points)[starts.ravel()], components.ravel())
    more, more_floors = measured(jnp.asarray(ends))
    gaps = np.concatenate([gaps, np.where(np.isfinite(more), more, 0.0)])
    limits = np.concatenate([limits, _limits(models, more_floors, tolerance)])
    return _worst_of(gaps, limits, num_points, len(ends), resolved=resolved)


def probe_noise(n: int, m: int, spread: float | None = None) -> Float[Array, "n m"]:
    """n noise points, the same on every call: Sobol's sequence, every other one twice as wide.

    With a `spread` all are N(0, spread² I).
    """
    with np.errstate(all="ignore"):
        uniform = qmc.Sobol(m, scramble=True, rng=0).random_base2(int(np.ceil(np.log2(n))))[:n]
    width = np.where(np.arange(n) % 2, 2.0, 1.0)[:, None] if spread is None else spread
    noise = width * ndtri(jnp.clip(jnp.asarray(uniform), 1e-6, 1 - 1e-6))
    return jnp.clip(noise, -REACH, REACH)


def _compiled(difference: Difference, models: PyTree) -> Measured:
    """points ↦ `_measure`, in batches of one size, so that it compiles once."""
    variants = stacked([models, models, models, jittered(models, 0), jittered(models, 1)])
    hair = 0.1 * coarsest_eps(models) ** 0.5
    moves = jnp.asarray([0.0, hair, -hair, 0.0, 0.0])

    def measured(points: Float[Array, "n m"]) -> tuple[np.ndarray, np.ndarray]:
        short = -len(points) % _BATCH
        padded = jnp.concatenate([points, jnp.repeat(points[:1], short, axis=0)])
        batches = padded.reshape(-1, _BATCH, points.shape[1])
        found = [_measure(difference, variants, moves, batch) for batch in batches]
        gaps, floors = (np.concatenate(part) for part in zip(*found, strict=True))
        return gaps[: len(points)], floors[: len(points)]

    return measured


@eqx.filter_jit
def _measure(
    difference: Difference, variants: PyTree, moves: Float[Array, " v"], points: Float[Array, "n m"]
) -> tuple[Float[Array, "n c"], Float[Array, "n c"]]:
    """The gap at every point, the least of three neighbours, and what jittered models change."""
    arrays, static = eqx.partition(variants, eqx.is_inexact_array)

    def measure(eps: Float[Array, " m"]) -> tuple[Float[Array, " c"], Float[Array, " c"]]:
        def at(arrays: PyTree, move: Array) -> Float[Array, "... c"]:
            return difference(eqx.combine(arrays, static), eps + move)

        values = jax.vmap(at)(arrays, moves)
        gap = jax.vmap(_by_component)(values[:3]).min(0)
        return gap, jax.vmap(_by_component)(values[3:] - values[:1]).max(0)

    return jax.vmap(measure)(points)


def _by_component(values: Float[Array, "... c"]) -> Float[Array, " c"]:
    return jnp.abs(values).max(axis=tuple(range(values.ndim - 1)), initial=0.0)


def _limits(
    models: PyTree, floors: Float[np.ndarray, "n c"], tolerance: float | None
) -> Float[np.ndarray, "n c"]:
    if tolerance is not None:
        return np.full_like(floors, tolerance)
    return 10 * coarsest_eps(models) ** 0.5 + SLACK * np.nan_to_num(floors, nan=0.0, posinf=0.0)


def _worst_of(
    gaps: Float[np.ndarray, "n c"],
    limits: Float[np.ndarray, "n c"],
    num_points: int,
    num_climbs: int,
    *,
    resolved: bool,
) -> LargestGap:
    at = np.argmax(_ratio(gaps, limits), axis=0)[None]
    largest, allowed = (np.take_along_axis(a, at, 0)[0] for a in (gaps, limits))
    return LargestGap(largest, allowed, num_points, num_climbs, resolved)


def _ratio(gaps: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """gap / limit, infinite where the gap is NaN or where it is above a limit of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(gaps > 0, gaps / limits, 0.0)
    return np.where(np.isnan(gaps), np.inf, ratio)
