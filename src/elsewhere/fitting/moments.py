"""Means and covariances of the latents, and the mechanisms they determine, in float64."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.axes.climb import OWN_BUT_SCALE, SHARED
from elsewhere.fitting.result import FitError

Tables = Sequence[Float[np.ndarray, "_ m"]]


@dataclass(frozen=True)
class Moments:
    """E_d[z] and Cov_d(z) of every domain d."""

    means: Float[np.ndarray, "D m"]
    covariances: Float[np.ndarray, "D m m"]

    @property
    def pooled(self) -> Float[np.ndarray, "m m"]:
        """Cov(z) of all domains together, each weighing the same."""
        shifts = self.means - self.means.mean(axis=0)
        return self.covariances.mean(axis=0) + shifts.T @ shifts / len(shifts)

    def reordered(self, order: Sequence[int]) -> "Moments":
        """The moments of z[order]."""
        picked = list(order)
        return Moments(self.means[:, picked], self.covariances[:, picked][:, :, picked])


@dataclass(frozen=True)
class Mechanisms:
    """z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j in every domain: weights L, scales s, biases c."""

    weights: Float[np.ndarray, "D m m"]
    scales: Float[np.ndarray, "D m"]
    biases: Float[np.ndarray, "D m"]


def encode(
    axes: Float[np.ndarray, "m m+1"], x: Float[np.ndarray, "n m"], slope: float
) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "n m"]]:
    """u = W x + β and z = LeakyReLU⁻¹(u)."""
    u = project(axes, x)
    return u, u + (1 / slope - 1) * np.minimum(u, 0)


def project(
    axes: Float[np.ndarray, "m m+1"], x: Float[np.ndarray, "n m"]
) -> Float[np.ndarray, "n m"]:
    """u = W x + β."""
    return x @ axes[:, :-1].T + axes[:, -1]


def latent_moments(axes: Float[np.ndarray, "m m+1"], tables: Tables, slope: float) -> Moments:
    """E_d[z] and Cov_d(z), normalised by n_d, with z = LeakyReLU⁻¹(W x + β)."""
    z = [encode(axes, table, slope)[1] for table in tables]
    covariances = [
        np.cov(rows, rowvar=False, bias=True).reshape(2 * axes[:, 0].shape) for rows in z
    ]
    return Moments(np.stack([rows.mean(axis=0) for rows in z]), np.stack(covariances))


def closed_form(moments: Moments, kinds: Int[np.ndarray, " m"]) -> Mechanisms:
    """Least squares of each z_j on z_<j, over all domains where shared and in each where not.

    With Cov(z) = F Fᵀ, F lower triangular: s = diag F and I − L = diag(s) F⁻¹.
    """
    own = _regressions(moments.covariances, moments.means)
    pooled = _regressions(moments.pooled, moments.means.mean(axis=0))
    shared = kinds == SHARED
    weights, scales, biases = (
        np.where(shared[:, None] if p.ndim == 2 else shared, p, o)
        for p, o in zip(pooled, own, strict=True)
    )
    one_scale = np.sqrt((scales**2).mean(axis=0))
    return Mechanisms(weights, np.where(kinds == OWN_BUT_SCALE, one_scale, scales), biases)


def _regressions(
    covariance: Float[np.ndarray, "*D m m"], mean: Float[np.ndarray, "*D m"]
) -> tuple[Float[np.ndarray, "*D m m"], Float[np.ndarray, "*D m"], Float[np.ndarray, "*D m"]]:
    factor = cholesky(covariance)
    scales = np.diagonal(factor, axis1=-2, axis2=-1)
    residual = np.tril(scales[..., None] * np.linalg.inv(factor))
    return -np.tril(residual, -1), scales, np.einsum("...ij,...j->...i", residual, mean)


def cholesky(covariance: Float[np.ndarray, "*D m m"]) -> Float[np.ndarray, "*D m m"]:
    """F with F Fᵀ = Cov(z), or why there is none."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise FitError(
            "the latents of some domain are collinear, so its mechanisms have no noise: the rows "
            "are too few or repeat. Give every domain more distinct rows, or drop columns."
        ) from None
