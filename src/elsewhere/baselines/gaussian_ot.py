"""Optimal transport between Gaussians, in closed form."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap


@final
@dataclass(frozen=True)
class GaussianOT(Baseline):
    """T_{d→d'}(x) = μ_d' + A (x − μ_d) with A Σ_d A = Σ_d', A symmetric and non-negative."""

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        m = samples[0].shape[1]
        covariances = [np.cov(s, rowvar=False).reshape(m, m) for s in samples]
        return GaussianMap(np.stack([s.mean(0) for s in samples]), np.stack(covariances))


@final
@dataclass(frozen=True)
class GaussianMap(DomainMap):
    """x ↦ μ_d' + A_{d→d'} (x − μ_d)."""

    means: Float[np.ndarray, "D m"]
    covariances: Float[np.ndarray, "D m m"]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """The affine map between the two Gaussians."""
        A = monge_matrix(self.covariances[i], self.covariances[j])
        return self.means[j] + (x - self.means[i]) @ A.T


def monge_matrix(
    source: Float[np.ndarray, "m m"], target: Float[np.ndarray, "m m"]
) -> Float[np.ndarray, "m m"]:
    """A = Σ^(−1/2) (Σ^(1/2) Σ' Σ^(1/2))^(1/2) Σ^(−1/2): the map from N(0, Σ) to N(0, Σ').

    Where Σ is singular, directions in which the source does not vary are left unchanged.
    """
    root, inverse_root, still = _roots(source)
    target_root, _, _ = _roots(target)
    U, singular_values, _ = np.linalg.svd(root @ target_root)
    middle = (U * singular_values) @ U.T
    return inverse_root @ middle @ inverse_root + still


def _roots(
    covariance: Float[np.ndarray, "m m"],
) -> tuple[Float[np.ndarray, "m m"], Float[np.ndarray, "m m"], Float[np.ndarray, "m m"]]:
    """(Σ^(1/2), its pseudo-inverse, the projection on the null space of Σ)."""
    values, vectors = np.linalg.eigh(covariance)
    positive = values > len(values) * np.finfo(float).eps * values[-1]
    roots = np.sqrt(np.where(positive, values, 0.0))
    inverses = np.divide(1.0, roots, out=np.zeros_like(roots), where=positive)
    root, inverse, still = ((vectors * v) @ vectors.T for v in (roots, inverses, ~positive))
    return root, inverse, still
