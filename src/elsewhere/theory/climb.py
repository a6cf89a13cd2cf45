"""Steps from the worst points seen towards a larger gap still."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

REACH = 6.0
_BREADTH = 0.01
_STEPS = np.geomspace(1.0, 0.02, 16)

# points ↦ (gap, what rounding may do), both by point and component.
Measured = Callable[[Float[Array, "n m"]], tuple[np.ndarray, np.ndarray]]


def climb(
    measured: Measured,
    starts: Float[np.ndarray, "s m"],
    components: Int[np.ndarray, " s"],
) -> Float[np.ndarray, "s m"]:
    """Steps up the slope of the log of one component's gap, of falling length, within `REACH`.

    The slope is a central difference, so that nothing but the gap itself has to be compiled.
    """
    here, best, top = starts, starts, np.full(len(starts), -np.inf)
    for length in _STEPS:
        value, slope = _log_slope(measured, here, components)
        higher = value > top
        best, top = np.where(higher[:, None], here, best), np.where(higher, value, top)
        size = np.linalg.norm(slope, axis=1, keepdims=True)
        here = np.clip(here + length * slope / np.where(size > 0, size, 1.0), -REACH, REACH)
    return best


def _log_slope(
    measured: Measured, here: Float[np.ndarray, "s m"], components: Int[np.ndarray, " s"]
) -> tuple[Float[np.ndarray, " s"], Float[np.ndarray, "s m"]]:
    """(log gap, its slope); -inf and 0 where the gap is not finite."""
    s, m = here.shape
    moves = np.concatenate([np.zeros((1, m)), _BREADTH * np.eye(m), -_BREADTH * np.eye(m)])
    gaps, _ = measured(jnp.asarray((here[:, None] + moves).reshape(-1, m)))
    gaps = gaps.reshape(s, 2 * m + 1, -1)
    chosen = np.take_along_axis(gaps, components[:, None, None], axis=2)[..., 0]
    heights = np.log(np.where(np.isfinite(chosen), chosen, 0.0) + 1e-30)
    slope = (heights[:, 1 : m + 1] - heights[:, m + 1 :]) / (2 * _BREADTH)
    return np.where(np.isfinite(chosen[:, 0]), heights[:, 0], -np.inf), slope
