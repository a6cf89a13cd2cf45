"""The kink of the leaky rectifier, and the smoothing that lets a gradient see it move."""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np


class Kink(NamedTuple):
    """z = u + stretch·min(u, 0): the inverse of LeakyReLU, with log|dz/du| = log_ratio where u < 0.

    `shift` moves the sigmoid that stands in for the indicator of u < 0.
    """

    stretch: float
    log_ratio: float
    shift: float


def kink_of(slope: float) -> Kink:
    """r = 1/slope: stretch r − 1, log r, shift log((1 − w)/w) with w = 1/log r − 1/(r − 1).

    The density of u jumps by r at the kink, so the expected likelihood has a cusp where the kink
    is. A kernel with mass w on the negative side balances the two one-sided slopes, so that the
    smoothed optimum is not displaced to first order in the width. slope = 1 has no kink.
    """
    if not (slope > 0 and np.isfinite(slope)):
        raise ValueError(f"slope must be positive and finite; got {slope}. Use e.g. slope=0.5.")
    if abs(np.log(slope)) < 1e-3:  # where the mass is that of 0/0, which is a half
        return Kink(1 / slope - 1, float(-np.log(slope)), 0.0)
    return Kink(*map(float, kink_at(slope, np)))


def kink_at(slope: Any, xp: ModuleType) -> Kink:
    """`kink_of` by NumPy or by jax.numpy, which differentiates it in the slope; not near 1."""
    ratio = 1 / slope
    mass = 1 / xp.log(ratio) - 1 / (ratio - 1)
    return Kink(ratio - 1, xp.log(ratio), xp.log((1 - mass) / mass))
