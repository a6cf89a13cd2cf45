"""What is seen of a row tells what is missing: conditional normals, one form per table's width."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

Rows = Float[np.ndarray, "n p"]
Seen = Bool[np.ndarray, "n p"]
SMALLEST = 1e-9  # of a column's variance, so that every covariance is invertible
PATTERNS = 1_000  # of what is missing, that are looked at together


@dataclass(frozen=True)
class FullCovariance:
    """Σ as a matrix, for tables of few columns."""

    matrix: Float[np.ndarray, "p p"]

    def expected(self, u: Rows, seen: Seen) -> Rows:
        """E[u | what is seen]: u_o, and Σ_mo Σ_oo⁻¹ u_o; u is finite where it is missing, too."""
        known = np.where(seen, u, 0.0)
        for where, which, _, weights, _ in self.blocks(seen):
            known[where] += np.einsum("nij,nj->ni", weights[which], known[where])
        return known

    def spread(self, seen: Seen) -> Rows:
        """Var(u_j | what is seen): the diagonal of Σ_mm − Σ_mo Σ_oo⁻¹ Σ_om."""
        found = np.zeros(seen.shape)
        for where, which, _, _, left in self.blocks(seen):
            found[where] = np.diagonal(left, axis1=1, axis2=2)[which]
        return found

    def left_open(self, seen: Seen) -> Float[np.ndarray, "p p"]:
        """Σ_i Cov(u | what is seen of row i)."""
        blocks = self.blocks(seen)
        return sum(
            (np.tensordot(np.bincount(b[1]).astype(float), b[4], 1) for b in blocks),
            np.zeros_like(self.matrix),
        )

    def half_log_det(self, seen: Seen) -> Float[np.ndarray, " n"]:
        """½ log det(Σ_mm − Σ_mo Σ_oo⁻¹ Σ_om)."""
        found = np.zeros(len(seen))
        for where, which, pattern, _, left in self.blocks(seen):
            whole = left + np.eye(seen.shape[1]) * pattern[:, None, :]
            found[where] = 0.5 * np.linalg.slogdet(whole)[1][which]
        return found

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        """n rows of N(0, Σ)."""
        values, vectors = np.linalg.eigh(self.matrix)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return rng.standard_normal((n, len(values))) @ root.T

    def blocks(self, seen: Seen) -> list[tuple[np.ndarray, ...]]:
        """(rows, their pattern's number, patterns, Σ_mo Σ_oo⁻¹ and Σ_m|o of each), by blocks."""
        patterns, which = np.unique(seen, axis=0, return_inverse=True)
        which = which.reshape(-1)
        found = []
        for first in range(0, len(patterns), PATTERNS):
            part = patterns[first : first + PATTERNS]
            where = np.flatnonzero((which >= first) & (which < first + len(part)))
            found.append((where, which[where] - first, part, *self._given(part)))
        return found

    def _given(self, seen: Seen) -> tuple[np.ndarray, np.ndarray]:
        o = seen.astype(float)
        both = o[:, :, None] * o[:, None, :]
        eye = np.eye(seen.shape[1])
        ridge = SMALLEST * np.diag(self.matrix) * eye
        inside = (self.matrix + ridge) * both + eye * (1 - o)[:, None, :]
        across = self.matrix * (1 - o)[:, :, None] * o[:, None, :]
        weights = np.linalg.solve(inside, across.transpose(0, 2, 1)).transpose(0, 2, 1)
        missing = (1 - o)[:, :, None] * (1 - o)[:, None, :]
        left = (self.matrix + ridge) * missing - weights @ across.transpose(0, 2, 1)
        return weights, left


@dataclass(frozen=True)
class FactorCovariance:
    """Σ = S (L Lᵀ + diag(o)) S, S diagonal: for wide tables, without a p × p matrix."""

    loadings: Float[np.ndarray, "p r"]
    own: Float[np.ndarray, " p"]
    scale: Float[np.ndarray, " p"]

    def expected(self, u: Rows, seen: Seen) -> Rows:
        """u_o, and S L E[codes | u_o]."""
        weighted = np.where(seen, u, 0.0) / (self.scale * self.own)
        codes = np.linalg.solve(self._precision(seen), (weighted @ self.loadings)[:, :, None])
        return np.where(seen, u, codes[:, :, 0] @ self.loadings.T * self.scale)

    def spread(self, seen: Seen) -> Rows:
        """s_j² (l_jᵀ Cov(codes | seen) l_j + o_j)."""
        inverse = np.linalg.inv(self._precision(seen))
        left = inverse.reshape(len(seen), -1) @ self._squares.T + self.own
        return np.where(seen, 0.0, left * self.scale**2)

    def half_log_det(self, seen: Seen) -> Float[np.ndarray, " n"]:
        """½ (log det Σ − log det Σ_oo), by the lemma for determinants."""
        whole = np.linalg.slogdet(self._precision(np.ones((1, seen.shape[1]), bool)))[1]
        codes = whole - np.linalg.slogdet(self._precision(seen))[1]
        own = np.where(seen, 0.0, np.log(self.own * self.scale**2)).sum(axis=1)
        return 0.5 * (own + codes)

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        """n rows of N(0, Σ)."""
        p, r = self.loadings.shape
        codes, rest = rng.standard_normal((n, r)), rng.standard_normal((n, p))
        return (codes @ self.loadings.T + rest * np.sqrt(self.own)) * self.scale

    def _precision(self, seen: Seen) -> Float[np.ndarray, "n r r"]:
        """I + L_oᵀ diag(o_o)⁻¹ L_o of every row."""
        r = self.loadings.shape[1]
        summed = (seen / self.own) @ self._squares
        return summed.reshape(len(seen), r, r) + np.eye(r)

    @cached_property
    def _squares(self) -> Float[np.ndarray, "p rr"]:
        L = self.loadings
        return (L[:, :, None] * L[:, None, :]).reshape(len(L), -1)


Covariance = FullCovariance | FactorCovariance


def noise(covariance: Covariance, seen: Seen, sample: Rows) -> Rows:
    """v − E[v | v seen] for rows v of N(0, Σ): a draw of what the seen entries leave open."""
    return sample - covariance.expected(sample, seen)
