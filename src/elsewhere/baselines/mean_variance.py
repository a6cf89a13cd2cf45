"""Mean and variance matching, one feature at a time."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap


@final
@dataclass(frozen=True)
class MeanVariance(Baseline):
    """T_{d→d'}(x)_j = μ_d'j + (σ_d'j/σ_dj) (x_j − μ_dj)."""

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        location = np.stack([s.mean(0) for s in samples])
        return LocationScaleMap(location, np.stack([s.std(0, ddof=1) for s in samples]))


@final
@dataclass(frozen=True)
class LocationScaleMap(DomainMap):
    """x_j ↦ a_d'j + (s_d'j/s_dj) (x_j − a_dj)."""

    location: Float[np.ndarray, "D m"]
    scale: Float[np.ndarray, "D m"]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """Out of domain i's location and scale, into domain j's."""
        ratio = self.scale[j] / self.scale[i]
        return self.location[j] + ratio * (x - self.location[i])
