"""Quantile matching, one feature at a time."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap


@final
@dataclass(frozen=True)
class Quantile(Baseline):
    """T_{d→d'}(x)_j = Q_d'j(F_dj(x_j)): empirical CDF of d, then empirical quantiles of d'.

    Both are interpolated linearly. Beyond the sample of d, the map goes on as a straight line of
    slope σ_d'j/σ_dj.
    """

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        return QuantileMap(tuple(np.sort(s, axis=0) for s in samples))


@final
@dataclass(frozen=True)
class QuantileMap(DomainMap):
    """x_j ↦ Q_d'j(F_dj(x_j)), from each domain's sorted columns."""

    ordered: tuple[Float[np.ndarray, "_ m"], ...]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """Each column by itself."""
        columns = zip(x.T, self.ordered[i].T, self.ordered[j].T, strict=True)
        return np.stack([match_quantiles(*column) for column in columns], axis=1)


def match_quantiles(
    x: Float[np.ndarray, " n"], source: Float[np.ndarray, " a"], target: Float[np.ndarray, " b"]
) -> Float[np.ndarray, " n"]:
    """Q_target(F_source(x)), for sorted samples; straight lines of slope σ_b/σ_a beyond them."""
    inside = np.clip(x, source[0], source[-1])
    values, counts = np.unique(source, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / len(source)  # ties share their middle rank
    levels = np.interp(inside, values, middle)
    matched = np.interp(levels, (np.arange(len(target)) + 0.5) / len(target), target)
    return matched + target.std() / source.std() * (x - inside)
