"""A covariance of few codes and a part of each column's own, without a p × p matrix."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

SMALLEST = 1e-6  # of a column's own variance, so that every covariance is invertible
Rows = Float[np.ndarray, "n p"]


@dataclass(frozen=True)
class CodedCovariance:
    """Σ = V diag(λ) Vᵀ + diag(o) = O^½ (I + Q diag(s²) Qᵀ) O^½, in O(p r²)."""

    basis: Float[np.ndarray, "p r"]
    variances: Float[np.ndarray, " r"]
    own: Float[np.ndarray, " p"]

    def whitened(self, u: Rows) -> Rows:
        """(I + Q s² Qᵀ)^{-½} O^{-½} u."""
        y = u / self._root
        Q, s = self._parts
        return y + (y @ Q * (1 / np.sqrt(1 + s**2) - 1)) @ Q.T

    def coloured(self, eps: Rows) -> Rows:
        """O^½ (I + Q s² Qᵀ)^½ ε."""
        Q, s = self._parts
        return self._root * (eps + (eps @ Q * (np.sqrt(1 + s**2) - 1)) @ Q.T)

    @property
    def half_log_det(self) -> float:
        """½ log det Σ."""
        return float(np.log(self._root).sum() + 0.5 * np.log1p(self._parts[1] ** 2).sum())

    @cached_property
    def _root(self) -> Float[np.ndarray, " p"]:
        return np.sqrt(np.maximum(self.own, SMALLEST))

    @cached_property
    def _parts(self) -> tuple[Float[np.ndarray, "p r"], Float[np.ndarray, " r"]]:
        Q, s, _ = np.linalg.svd(
            self.basis * np.sqrt(self.variances) / self._root[:, None], full_matrices=False
        )
        return Q, s
