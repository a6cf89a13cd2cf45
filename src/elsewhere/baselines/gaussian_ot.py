"""Optimal transport between Gaussians, in closed form."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.baselines.interface import Baseline, DomainMap


@final
@dataclass(frozen=True)
class GaussianOT(Baseline):
    """T_{d→d'}(x) = μ_d' + A (x − μ_d) with A Σ_d A = Σ_d', A symmetric and non-negative.

    Where columns outnumber rows, the map is found within the span of the rows and is the identity
    beside it, so that no matrix has more entries than the table.

    Args:
        regularisation: added to the diagonal of every Σ_d, in units of the mean variance over
            domains and columns. With 0, directions without variance are left unchanged.
    """

    regularisation: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.regularisation < np.inf:
            raise ValueError(
                f"regularisation must be finite and not negative; got {self.regularisation}."
            )

    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        means = np.stack([s.mean(0) for s in samples])
        centred = [s - mean for s, mean in zip(samples, means, strict=True)]
        basis = span(np.concatenate(centred))
        inside = [s @ basis.T for s in centred]
        covariances = np.stack([s.T @ s / (len(s) - 1) for s in inside])
        unit = np.trace(covariances, axis1=1, axis2=2).mean() / means.shape[1]
        ridge = self.regularisation * unit * np.eye(len(basis))
        return GaussianMap(means, covariances + ridge, basis)


@final
@dataclass(frozen=True)
class GaussianMap(DomainMap):
    """x ↦ μ_d' + A_{d→d'} (x − μ_d), A within the rows of an orthonormal basis [r, m]."""

    means: Float[np.ndarray, "D m"]
    covariances: Float[np.ndarray, "D r r"]
    basis: Float[np.ndarray, "r m"]

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """The affine map between the two Gaussians; what the basis leaves out is shifted along."""
        A = monge_matrix(self.covariances[i], self.covariances[j])
        centred = x - self.means[i]
        inside = centred @ self.basis.T
        beside = centred - inside @ self.basis if len(self.basis) < x.shape[1] else 0.0
        return self.means[j] + beside + inside @ A.T @ self.basis


def span(rows: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "r m"]:
    """An orthonormal basis of the rows' span, [n, m]; where n ≥ m, all of space as it is."""
    n, m = rows.shape
    return np.eye(m) if n >= m else np.linalg.svd(rows, full_matrices=False)[2]


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
