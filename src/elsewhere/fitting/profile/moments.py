"""Means and covariances of the latents, and the mechanisms they determine, in float64."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN_BUT_SCALE, SHARED
from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.split import FitError

Tables = Sequence[Float[np.ndarray, "_ m"]]
Axes = Float[np.ndarray, "m m+1"]  # [W | β]


@dataclass(frozen=True)
class LatentMoments:
    """E_d[z], Cov_d(z) and P_d(z_j < 0) of every domain d."""

    means: Float[np.ndarray, "D m"]
    covariances: Float[np.ndarray, "D m m"]
    below: Float[np.ndarray, "D m"]

    @property
    def pooled(self) -> Float[np.ndarray, "m m"]:
        """Cov(z) of all domains together, each weighing the same."""
        shifts = self.means - self.means.mean(axis=0)
        return self.covariances.mean(axis=0) + shifts.T @ shifts / len(shifts)

    def reordered(self, order: Sequence[int]) -> "LatentMoments":
        """The moments of z[order]."""
        picked = list(order)
        covariances = self.covariances[:, picked][:, :, picked]
        return LatentMoments(self.means[:, picked], covariances, self.below[:, picked])


def encode(
    axes: Axes, x: Float[np.ndarray, "n m"], slope: float
) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "n m"]]:
    """u = W x + β and z = LeakyReLU⁻¹(u)."""
    u = x @ axes[:, :-1].T + axes[:, -1]
    return u, u + (1 / slope - 1) * np.minimum(u, 0)


def latent_moments(axes: Axes, tables: Tables, slope: float) -> LatentMoments:
    """The moments of z = LeakyReLU⁻¹(W x + β)."""
    return moments_of(encode(axes, table, slope)[1] for table in tables)


def moments_of(latents: Iterable[Float[np.ndarray, "_ m"]]) -> LatentMoments:
    """E_d[z], Cov_d(z) and P_d(z < 0) from the latents of every domain, normalised by n_d."""
    parts = zip(*map(_moments_of_one, latents), strict=True)
    return LatentMoments(*(np.stack(part) for part in parts))


def _moments_of_one(
    z: Float[np.ndarray, "n m"],
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]:
    weight = np.full(len(z), 1 / len(z))  # a product with it is a fast mean
    mean = weight @ z
    centred = z - mean
    return mean, centred.T @ centred / len(z), weight @ (z < 0)


def closed_form(moments: LatentMoments, kinds: Int[np.ndarray, " m"]) -> Mechanisms:
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
