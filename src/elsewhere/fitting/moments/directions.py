"""The directions in which samples vary, and how much of that is more than noise."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

NARROW = 40  # columns up to which every direction is looked at on its own
NEGLIGIBLE = 1e-12  # of the largest variance


@dataclass(frozen=True)
class Directions:
    """Principal directions of rows with mean 0, those of most variance first.

    Attributes:
        basis: orthonormal columns.
        variances: λ, of the rows along each.
        signal: what of λ is more than independent noise in every column would bring.
    """

    basis: Float[np.ndarray, "p r"]
    variances: Float[np.ndarray, " r"]
    signal: Float[np.ndarray, " r"]

    @property
    def reliability(self) -> Float[np.ndarray, " r"]:
        """signal/λ, in 0..1."""
        return self.signal / self.variances

    def first(self, count: int) -> "Directions":
        """Only so many."""
        return Directions(self.basis[:, :count], self.variances[:count], self.signal[:count])


def principal_directions(rows: Float[np.ndarray, "n p"], freedom: int) -> Directions:
    """Eigenvectors of rowsᵀ rows/freedom, by whichever Gram matrix is smaller."""
    n, p = rows.shape
    if p <= n:
        values, vectors = np.linalg.eigh(rows.T @ rows / freedom)
        values, basis = values[::-1], vectors[:, ::-1]
    else:
        values, vectors = np.linalg.eigh(rows @ rows.T / freedom)
        values, vectors = values[::-1], vectors[:, ::-1]
        positive = np.maximum(values, NEGLIGIBLE * max(values[0], 1e-300))
        basis = rows.T @ (vectors / np.sqrt(freedom * positive))
    count = min(p, freedom, int((values > NEGLIGIBLE * max(values[0], 1e-300)).sum()))
    variances = np.maximum(values[:count], 0.0)
    return Directions(basis[:, :count], variances, signal_variances(variances, p, freedom))


def told_directions(rows: Float[np.ndarray, "n p"], freedom: int) -> Directions:
    """Every direction of a narrow table; of a wide one those that are more than noise."""
    found = principal_directions(rows, freedom)
    if rows.shape[1] <= NARROW:
        return found
    return found.first(min(NARROW, int((found.signal > 0).sum())))


def signal_variances(
    variances: Float[np.ndarray, " r"], p: int, freedom: int
) -> Float[np.ndarray, " r"]:
    """ℓ with λ = (ℓ + σ²)(1 + γσ²/ℓ), γ = p/n, above the edge σ²(1 + √γ)²; 0 below it.

    The spiked model (Baik and Silverstein, 2006); σ² is where the median of λ meets that of the
    Marchenko–Pastur law, as in Gavish and Donoho (2014).
    """
    if not len(variances):
        return variances
    ratio = p / freedom
    noise = np.median(variances) / marchenko_pastur_median(round(ratio, 4))
    y = variances / max(noise, 1e-300)
    inside = np.maximum((y + 1 - ratio) ** 2 - 4 * y, 0.0)
    above = (y + 1 - ratio + np.sqrt(inside)) / 2 - 1
    return np.where(y > (1 + np.sqrt(ratio)) ** 2, np.maximum(above, 0.0) * noise, 0.0)


@lru_cache(maxsize=256)
def marchenko_pastur_median(ratio: float) -> float:
    """The median of the eigenvalues above 0 of a Wishart matrix over n, for p/n = ratio."""
    low, high = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2
    angle = (np.arange(20_000) + 0.5) * np.pi / 20_000
    values = low + (high - low) * (1 - np.cos(angle)) / 2  # dense near both ends
    weights = np.sin(angle) ** 2 / np.maximum(values, 1e-300)
    total = np.cumsum(weights)
    return float(values[np.searchsorted(total, total[-1] / 2)])
