"""What is missing of a row, from what is seen: conditional normals, one form per table's width."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

Rows = Float[np.ndarray, "n p"]
Seen = Bool[np.ndarray, "n p"]
SMALLEST = 1e-9  # of a column's variance, so that every covariance is invertible
PATTERNS = 500  # of what is missing, that are looked at together


@dataclass(frozen=True)
class FullCovariance:
    """Σ as a matrix, for tables of few columns."""

    matrix: Float[np.ndarray, "p p"]

    def expected(self, u: Rows, seen: Seen) -> Rows:
        """E[u | what is seen]: u_o, and Σ_mo Σ_oo⁻¹ u_o; u is finite where it is missing, too."""
        return self.expected_and_open(u, patterns_of(seen))[0]

    def left_open(self, seen: Seen) -> Float[np.ndarray, "p p"]:
        """Σ_i Cov(u | what is seen of row i)."""
        return self.expected_and_open(np.zeros(seen.shape), patterns_of(seen))[1]

    def half_log_det(self, seen: Seen) -> Float[np.ndarray, " n"]:
        """½ log det(Σ_mm − Σ_mo Σ_oo⁻¹ Σ_om)."""
        found = np.zeros(len(seen))
        for patterns in patterns_of(seen):
            left = self._given(patterns.seen)[1]
            whole = left + np.eye(seen.shape[1]) * patterns.seen[:, None, :]
            found[patterns.rows] = 0.5 * np.linalg.slogdet(whole)[1][patterns.which]
        return found

    def draw(self, rng: np.random.Generator, n: int) -> Rows:
        """n rows of N(0, Σ)."""
        values, vectors = np.linalg.eigh(self.matrix)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        return rng.standard_normal((n, len(values))) @ root.T

    def expected_and_open(
        self, u: Rows, patterns: list["Patterns"]
    ) -> tuple[Rows, Float[np.ndarray, "p p"]]:
        """(E[u | what is seen], Σ_i Cov(u | what is seen of row i)), in one pass."""
        found, total = np.array(u), np.zeros_like(self.matrix)
        for part in patterns:
            weights, left = self._given(part.seen)
            known = np.where(part.seen[part.which], u[part.rows], 0.0)
            told = (weights[part.which] @ known[:, :, None])[:, :, 0]
            found[part.rows] = known + told
            total += np.tensordot(np.bincount(part.which).astype(float), left, 1)
        return found, total

    def _given(self, seen: Seen) -> tuple[np.ndarray, np.ndarray]:
        """Σ_mo Σ_oo⁻¹ and Σ_mm − Σ_mo Σ_oo⁻¹ Σ_om of each pattern, 0 elsewhere."""
        o = seen.astype(float)
        eye = np.eye(seen.shape[1])
        whole = self.matrix * (1 + SMALLEST * eye)
        inside = np.where(o[:, :, None] * o[:, None, :] > 0, whole, eye)
        across = self.matrix * o[:, :, None] * (1 - o)[:, None, :]
        weights = np.linalg.solve(inside, across)
        missing = (1 - o)[:, :, None] * (1 - o)[:, None, :]
        left = whole * missing - across.transpose(0, 2, 1) @ weights
        return weights.transpose(0, 2, 1), left


@dataclass(frozen=True)
class Patterns:
    """Which entries rows have, each pattern once, and the number of each row's pattern."""

    seen: Bool[np.ndarray, "k p"]
    rows: Int[np.ndarray, " n"]
    which: Int[np.ndarray, " n"]


def patterns_of(seen: Seen) -> list[Patterns]:
    """The patterns of all rows, some at a time."""
    every, which = np.unique(seen, axis=0, return_inverse=True)
    which = which.reshape(-1)
    found = []
    for first in range(0, len(every), PATTERNS):
        rows = np.flatnonzero((which >= first) & (which < first + PATTERNS))
        found.append(Patterns(every[first : first + PATTERNS], rows, which[rows] - first))
    return found


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
