"""Differences between domains as independent contrasts, each with its own sampling error."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

NO_ROWS = 1e-6  # the number of rows that stands for none: such a domain is shrunken to the mean


@dataclass(frozen=True)
class Contrasts:
    """b = R y of estimates y_d with sampling variances λ/n_d: independent, with variances λ τ_a.

    Attributes:
        weights: U, rows that sum to 0: the domains' effects are Uᵀ b.
        variances: τ.
        reads: R; U itself where all differences are looked at, for its rows are orthonormal then.
    """

    weights: Float[np.ndarray, "a D"]
    variances: Float[np.ndarray, " a"]
    reads: Float[np.ndarray, "a D"]

    def of(self, estimates: Float[np.ndarray, "D *s"]) -> Float[np.ndarray, "a *s"]:
        """b of estimates for every domain."""
        return np.tensordot(self.reads, estimates, axes=1)

    def back(self, effects: Float[np.ndarray, "a *s"]) -> Float[np.ndarray, "D *s"]:
        """Uᵀ b: how far each domain is from the mean of all."""
        return np.tensordot(self.weights.T, effects, axes=1)


def contrasts(counts: Float[np.ndarray, " D"]) -> Contrasts:
    """The principal axes of C diag(1/n) C, where C takes out the mean over the domains."""
    centre = np.eye(len(counts)) - 1 / len(counts)
    errors = centre @ np.diag(1 / np.maximum(counts, NO_ROWS)) @ centre
    values, vectors = np.linalg.eigh(errors + np.ones_like(errors))  # the mean's own value is D
    own = np.argmax(np.abs(vectors.sum(axis=0)))
    rest = np.delete(np.arange(len(counts)), own)
    weights = vectors[:, rest].T
    weights -= weights.mean(axis=1, keepdims=True)
    return Contrasts(weights, np.maximum(values[rest], 0.0), weights)
