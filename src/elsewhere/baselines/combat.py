"""ComBat: location and scale of each batch, shrunk towards what the features have in common."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap
from elsewhere.baselines.mean_variance import LocationScaleMap


@final
@dataclass(frozen=True)
class ComBat(Baseline):
    """x_j = α_j + σ_j (γ_dj + δ_dj ε): take out γ_d and δ_d, put in γ_d' and δ_d'.

    γ_dj ~ N(γ̄_d, τ_d²) and δ_dj² ~ InverseGamma(λ_d, θ_d) over the features j, with moments
    for the hyperparameters: the parametric empirical Bayes of Johnson, Li and Rabinovic
    (Biostatistics, 2007). With many rows per domain, it tends to `MeanVariance`.
    """

    tolerance: float = 1e-8
    max_iterations: int = 1_000

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        counts = np.array([[len(s)] for s in samples])
        means = np.stack([s.mean(0) for s in samples])
        variances = np.stack([s.var(0) for s in samples])
        alpha = (counts * means).sum(0) / counts.sum()
        sigma = np.sqrt((counts * variances).sum(0) / counts.sum())
        effects = zip(counts[:, 0], (means - alpha) / sigma, variances / sigma**2, strict=True)
        shrunk = np.stack([self._shrink(int(n), g, v) for n, g, v in effects])
        return LocationScaleMap(alpha + sigma * shrunk[:, 0], sigma * np.sqrt(shrunk[:, 1]))

    def _shrink(
        self, n: int, mean: Float[np.ndarray, " m"], variance: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "2 m"]:
        """(γ, δ²): the fixed point of the two posterior means, given each other."""
        spread = variance * n / (n - 1)
        if len(mean) < 2:  # one feature has no others to be shrunk towards
            return np.stack([mean, spread])
        estimate = np.stack([mean, spread])
        for _ in range(self.max_iterations):
            previous = estimate
            gamma = posterior_mean(n, mean, previous[1])
            estimate = np.stack(
                [gamma, posterior_variance(n, variance + (mean - gamma) ** 2, spread)]
            )
            if np.abs(estimate - previous).max() <= self.tolerance * max(1.0, estimate[1].max()):
                return estimate
        raise RuntimeError(
            f"ComBat did not converge within max_iterations={self.max_iterations} to "
            f"tolerance={self.tolerance}. Raise either."
        )


def posterior_mean(
    n: int, mean: Float[np.ndarray, " m"], delta2: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " m"]:
    """γ*_j = (n τ² γ̂_j + δ_j² γ̄)/(n τ² + δ_j²)."""
    tau2 = mean.var(ddof=1)
    return (n * tau2 * mean + delta2 * mean.mean()) / (n * tau2 + delta2)


def posterior_variance(
    n: int, mean_square: Float[np.ndarray, " m"], spread: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " m"]:
    """δ*²_j = (θ + n q_j/2)/(λ + n/2 − 1), q_j the mean of (z − γ*_j)².

    λ = 2 + V²/S², θ = V (1 + V²/S²) for V and S² the mean and variance of δ̂² over the features;
    both sides are multiplied by S², so that S = 0 is no special case.
    """
    V, S2 = spread.mean(), spread.var(ddof=1)
    return (V**3 + V * S2 + S2 * n * mean_square / 2) / (V**2 + S2 + S2 * n / 2)
