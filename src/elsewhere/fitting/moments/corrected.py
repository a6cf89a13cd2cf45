"""A map by moments, corrected by rows that were seen in two domains."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.fitting.moments.affine_map import AffineMap, variance_of_difference

PENALTIES = np.geomspace(1e4, 1e-4, 33)
ENOUGH = 2  # pairs per column, from which on columns may correct one another
COUNTED = 5  # pairs of the average column, with which each column's noise is averaged
ROUNDS = 10
Rows = Float[np.ndarray, "n p"]


@dataclass(frozen=True)
class Correction:
    """a_j + b_j u_j + Σ_i w_ij k(u, u_i) for answers between two domains, u in shared units.

    Attributes:
        source: the domain's place.
        target: the other's.
        offset: a.
        slope: b.
        weights: w, one row per pair; no rows where pairs are too few.
        seen: u_i, the pairs' rows that go with them.
        spread: the deviation of what is left, by column.
    """

    source: int
    target: int
    offset: Float[np.ndarray, " p"]
    slope: Float[np.ndarray, " p"]
    weights: Float[np.ndarray, "q p"]
    seen: Float[np.ndarray, "q p"]
    spread: Float[np.ndarray, " p"]

    def __call__(self, u: Rows) -> Rows:
        """The correction in shared units."""
        return self.offset + self.slope * u + kernel(u, self.seen) @ self.weights


@final
@dataclass(frozen=True)
class CorrectedMap:
    """x_{d→d'} of a map by moments, plus what pairs from d to d' say it lacks.

    Attributes:
        base: the map.
        corrections: one for each ordered pair of domains that has pairs.
    """

    base: AffineMap
    corrections: tuple[Correction, ...]

    @property
    def domains(self) -> tuple[Hashable, ...]:
        """Their names."""
        return self.base.domains

    def move(
        self, x: Float[AnyArray, "n p"], *, d: Hashable, d_prime: Hashable
    ) -> Float[np.ndarray, "n p"]:
        """x_{d→d'}, corrected."""
        moved = self.base.move(x, d=d, d_prime=d_prime)
        found = self._between(d, d_prime)
        if found is None:
            return moved
        return moved + self.base.stretch(d_prime) * found(self.base.shared(x, d=d))

    def standard_error(
        self, x: Float[AnyArray, "n p"], *, d: Hashable, d_prime: Hashable
    ) -> Float[np.ndarray, "n p"]:
        """What the pairs leave unexplained, where there are pairs; else the map's own."""
        found = self._between(d, d_prime)
        if found is None:
            return self.base.standard_error(x, d=d, d_prime=d_prime)
        return np.tile(self.base.stretch(d_prime) * found.spread, (len(x), 1))

    def _between(self, d: Hashable, d_prime: Hashable) -> Correction | None:
        places = self.base.position(d), self.base.position(d_prime)
        return next((c for c in self.corrections if (c.source, c.target) == places), None)


def kernel(u: Rows, seen: Float[np.ndarray, "q p"]) -> Float[np.ndarray, "n q"]:
    """k(u, u') = 1 + u·u'/p: an offset, and a linear map with columns that count alike."""
    return 1 + u @ seen.T / u.shape[1]


def corrected(
    base: AffineMap, pairs: Sequence[tuple[Hashable, Hashable, Rows, Rows]]
) -> CorrectedMap:
    """The map with what pairs say of its offsets and scales, in both directions.

    What is not known of the map's offsets and scales is the prior; the pairs are the data. With
    twice as many pairs as columns, a ridge regression of what is left follows.
    """
    both = [(d, e, x, y) for s, t, a, b in pairs for d, e, x, y in ((s, t, a, b), (t, s, b, a))]
    return CorrectedMap(base, tuple(_correction(base, *pair) for pair in both))


def _correction(base: AffineMap, d: Hashable, e: Hashable, x: Rows, y: Rows) -> Correction:
    i, j, u = base.position(d), base.position(e), base.shared(x, d=d)
    lacking = (y - base.move(x, d=d, d_prime=e)) / base.stretch(e)
    prior = variance_of_difference(base.offsets, i, j), variance_of_difference(base.scales, i, j)
    offset, slope, noise = by_column(u, lacking, *prior)
    seen, weights = u[:0], lacking[:0]
    if len(u) >= ENOUGH * u.shape[1]:
        seen, weights = u, ridge(u, lacking - offset - slope * u)
    return Correction(i, j, offset, slope, weights, seen, np.sqrt(noise))


def by_column(
    u: Rows, y: Rows, a_prior: Float[np.ndarray, " p"], b_prior: Float[np.ndarray, " p"]
) -> tuple[Float[np.ndarray, " p"], Float[np.ndarray, " p"], Float[np.ndarray, " p"]]:
    """(a, b, σ²) of y = a + b u + noise, a ~ N(0, a_prior), b ~ N(0, b_prior), column by column.

    σ² is that of the column, averaged with that of all columns as if from 5 pairs more.
    """
    q, one, two = len(u), 1 / np.maximum(a_prior, 1e-12), 1 / np.maximum(b_prior, 1e-12)
    noise = np.full(u.shape[1], max(float((y**2).mean()), 1e-12))
    a = b = np.zeros(u.shape[1])
    for _ in range(ROUNDS):
        aa, ab, bb = q / noise + one, u.sum(axis=0) / noise, (u**2).sum(axis=0) / noise + two
        ya, yb = y.sum(axis=0) / noise, (u * y).sum(axis=0) / noise
        a = (bb * ya - ab * yb) / (aa * bb - ab**2)
        b = (aa * yb - ab * ya) / (aa * bb - ab**2)
        left = ((y - a - b * u) ** 2).mean(axis=0)
        noise = np.maximum((q * left + COUNTED * left.mean()) / (q + COUNTED), 1e-12)
    return a, b, noise


def ridge(u: Rows, y: Rows) -> Rows:
    """w with y ≈ k(u, u) w, under the penalty with which pairs left out come out best."""
    values, vectors = np.linalg.eigh(kernel(u, u))
    values, rotated = np.maximum(values, 0.0), vectors.T @ y

    def left_out(penalty: float) -> float:
        kept = values / (values + penalty)
        errors = y - vectors @ (kept[:, None] * rotated)
        return float(((errors / np.maximum(1 - vectors**2 @ kept, 1e-6)[:, None]) ** 2).mean())

    best = min(PENALTIES, key=left_out)
    return vectors @ (rotated / (values + best)[:, None])
