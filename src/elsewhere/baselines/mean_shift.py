"""Mean matching, one feature at a time."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap
from elsewhere.baselines.mean_variance import LocationScaleMap


@final
@dataclass(frozen=True)
class MeanShift(Baseline):
    """T_{d→d'}(x)_j = x_j + μ_d'j − μ_dj."""

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        location = np.stack([s.mean(0) for s in samples])
        return LocationScaleMap(location, np.ones_like(location))
