"""What a regression within domains needs of the rows: counts, means and products."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Products = Float[np.ndarray, "D q p"]


@dataclass(frozen=True)
class Within:
    """Products of centred rows of each domain; Σ_d zz_d is N times the identity.

    Attributes:
        counts: rows.
        z_means: of Z.
        y_means: of the table's columns.
        zz: Σ z zᵀ about the mean of the domain.
        zy: Σ z yᵀ.
        yy: Σ y².
    """

    counts: Float[np.ndarray, " D"]
    z_means: Float[np.ndarray, "D q"]
    y_means: Float[np.ndarray, "D p"]
    zz: Float[np.ndarray, "D q q"]
    zy: Products
    yy: Float[np.ndarray, "D p"]

    @property
    def freedom(self) -> Float[np.ndarray, " D"]:
        """Rows less 1, less each domain's part of the covariates, at least 1."""
        share = self.counts / self.counts.sum()
        return np.maximum(self.counts - 1 - share * self.zz.shape[1], 1.0)

    def left(self, coefficients: Products) -> Float[np.ndarray, "D p"]:
        """Σ (y − z B_d)² within each domain."""
        fitted = self.zz @ coefficients
        found = self.yy - (coefficients * (2 * self.zy - fitted)).sum(axis=1)
        return np.maximum(found, 1e-10 * self.yy)

    def variances(self, coefficients: Products) -> Float[np.ndarray, "D p"]:
        """Of what is left, by domain, drawn to that of all domains where rows are few."""
        left, few = self.left(coefficients), 20.0
        pooled = left.sum(axis=0) / self.freedom.sum()
        pooled = np.where(pooled > 0, pooled, 1.0)
        return (left + few * pooled) / (self.freedom[:, None] + few)


@dataclass(frozen=True)
class CovariateRows:
    """Rows with their covariates, and what is seen of them within domains.

    Attributes:
        z: the covariates' part of the regression, white.
        y: the rows.
        codes: their domains, 0, 1, ….
        seen: counts, means and products.
    """

    z: Float[np.ndarray, "n q"]
    y: Float[np.ndarray, "n p"]
    codes: Int[np.ndarray, " n"]
    seen: Within


def covariate_rows(
    z: Float[np.ndarray, "n q"], y: Float[np.ndarray, "n p"], codes: Int[np.ndarray, " n"]
) -> CovariateRows:
    """The rows, with their statistics."""
    return CovariateRows(z, y, codes, within(z, y, codes))


def within(
    z: Float[np.ndarray, "n q"], y: Float[np.ndarray, "n p"], codes: Int[np.ndarray, " n"]
) -> Within:
    """The statistics of rows z and y, by domain."""
    parts = [(z[codes == i], y[codes == i]) for i in range(int(codes.max()) + 1)]
    z_means = np.stack([a.mean(axis=0) for a, _ in parts])
    y_means = np.stack([b.mean(axis=0) for _, b in parts])
    centred = [(a - m, b - n) for (a, b), m, n in zip(parts, z_means, y_means, strict=True)]
    return Within(
        np.array([len(a) for a, _ in parts], float),
        z_means,
        y_means,
        np.stack([a.T @ a for a, _ in centred]),
        np.stack([a.T @ b for a, b in centred]),
        np.stack([(b**2).sum(axis=0) for _, b in centred]),
    )
