"""The linear mechanisms of all domains as arrays, and which of them the domains share."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED


@dataclass(frozen=True)
class Mechanisms:
    """z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j in every domain: weights L, scales s, biases c."""

    weights: Float[np.ndarray, "D m m"]
    scales: Float[np.ndarray, "D m"]
    biases: Float[np.ndarray, "D m"]


def kinds_of_mechanisms(mechanisms: Mechanisms) -> Int[np.ndarray, " m"]:
    """SHARED where all domains have the same row; OWN_BUT_SCALE where only the scale is one."""
    scale = _varies(mechanisms.scales)
    rest = _varies(mechanisms.weights).any(axis=-1) | _varies(mechanisms.biases)
    return np.where(scale, OWN, np.where(rest, OWN_BUT_SCALE, SHARED))


def _varies(values: np.ndarray) -> np.ndarray:
    return (values != values[:1]).any(axis=0)
