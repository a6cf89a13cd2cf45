"""Coordinates in which the fit does not depend on the user's units, and the way back."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.bijections import Affine
from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.moments import Tables
from elsewhere.mixing import leaky_linear
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM


@dataclass(frozen=True)
class Whitening:
    """y = K (x − centre)/unit, with mean within-domain covariance I; K lower triangular."""

    centre: Float[np.ndarray, " m"]
    unit: Float[np.ndarray, " m"]
    matrix: Float[np.ndarray, "m m"]

    @property
    def log_det(self) -> float:
        """log|det ∂y/∂x|."""
        return float(np.log(np.diagonal(self.matrix)).sum() - np.log(self.unit).sum())

    def __call__(self, x: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """The whitened rows."""
        return ((x - self.centre) / self.unit) @ self.matrix.T

    def bijection(self) -> Affine:
        """y ↦ x, to be composed with a mixing fitted on y."""
        return Affine(_float(self.unit[:, None] * np.linalg.inv(self.matrix)), _float(self.centre))


def whitening(tables: Tables) -> Whitening:
    """Standardise every column within domains, then decorrelate: K = F⁻¹, F Fᵀ = mean Cov_d."""
    centre = np.mean([table.mean(axis=0) for table in tables], axis=0)
    unit = np.sqrt(np.mean([table.var(axis=0) for table in tables], axis=0))
    m = len(unit)
    covariances = [np.cov(table / unit, rowvar=False, bias=True).reshape(m, m) for table in tables]
    return Whitening(centre, unit, np.linalg.inv(np.linalg.cholesky(np.mean(covariances, axis=0))))


def assemble(
    axes: Float[np.ndarray, "m m+1"],
    mechanisms: Mechanisms,
    white: Whitening,
    slope: float,
    domains: Sequence[Hashable],
) -> ILD:
    """x = A LeakyReLU(z) + b with A = (W K)⁻¹ in the user's units: the model, whitening undone.

    slope = 1 gives the linear mixing x = A z + b.
    """
    A = white.unit[:, None] * np.linalg.inv(axes[:, :-1] @ white.matrix)
    b = white.centre - A @ axes[:, -1]
    mixing = Affine(_float(A), _float(b))
    parts = zip(mechanisms.weights, mechanisms.scales, mechanisms.biases, strict=True)
    scms = [LinearSCM(*(_float(part) for part in scm)) for scm in parts]
    if slope != 1:
        mixing = leaky_linear(mixing.matrix, mixing.offset, slope=slope)
    return ILD(mixing, scms, domains)


def _float(values: Float[np.ndarray, "..."]) -> jnp.ndarray:
    return jnp.asarray(np.asarray(values, jnp.zeros(0).dtype))  # cast without compiling
