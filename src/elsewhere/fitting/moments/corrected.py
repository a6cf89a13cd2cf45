"""A map by moments, corrected by rows that were seen in two domains."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.fitting.moments.affine_map import AffineMap, variance_of_difference
from elsewhere.fitting.moments.paired_ridge import Block, RidgeFit, paired_ridge

ENOUGH = 4  # samples, from which on one can be left out to see what the others tell
COUNTED = 5  # pairs of the average column, with which each column's noise is averaged
LEAST_VARIANCE = 1e-4  # of the largest of a code: one that varies less counts no more for it
ROUNDS = 10
Rows = Float[np.ndarray, "n p"]
Seen = tuple[int, int, Rows, Rows]  # places of d and d', u in d, what the answers lack in d'


@dataclass(frozen=True)
class Correction:
    """a + b u + (u W) B for answers between two domains, u in shared units, b column by column.

    Attributes:
        source: the domain's place.
        target: the other's.
        offset: a.
        slope: b.
        weights: B, one row per code; no rows where pairs are too few.
        inputs: Wᵀ, the codes whitened.
        spread: the deviation of what is left, by column.
    """

    source: int
    target: int
    offset: Float[np.ndarray, " p"]
    slope: Float[np.ndarray, " p"]
    weights: Float[np.ndarray, "r p"]
    inputs: Float[np.ndarray, "r p"]
    spread: Float[np.ndarray, " p"]

    def __call__(self, u: Rows) -> Rows:
        """The correction in shared units."""
        return self.offset + self.slope * u + (u @ self.inputs.T) @ self.weights


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


def corrected(
    base: AffineMap, pairs: Sequence[tuple[Hashable, Hashable, Rows, Rows]]
) -> CorrectedMap:
    """The map with what pairs say that it lacks, in both directions.

    Along the codes by a ridge towards the map itself (see `paired_ridge`); what the codes leave
    out, and all where there are fewer than four samples, by offsets and scales of each column, for
    which what is not known of the map's own is the prior.
    """
    both = [(d, e, x, y) for s, t, a, b in pairs for d, e, x, y in ((s, t, a, b), (t, s, b, a))]
    seen = [_seen(base, *pair) for pair in both]
    if max(len(u) for _, _, u, _ in seen) < ENOUGH:
        return CorrectedMap(base, tuple(_columns(base, one) for one in seen))
    variances = base.code_variances + base.own @ base.codes**2
    least = LEAST_VARIANCE * variances.max(initial=0.0)
    inputs = (base.codes / np.sqrt(np.maximum(variances, least) * len(variances))).T
    blocks = [Block(u @ inputs.T, lacking @ base.codes) for _, _, u, lacking in seen]
    parts = zip(seen, paired_ridge(blocks), strict=True)
    return CorrectedMap(base, tuple(_along_codes(base, inputs, *part) for part in parts))


def _seen(base: AffineMap, d: Hashable, e: Hashable, x: Rows, y: Rows) -> Seen:
    lacking = (y - base.move(x, d=d, d_prime=e)) / base.stretch(e)
    return base.position(d), base.position(e), base.shared(x, d=d), lacking


def _columns(base: AffineMap, seen: Seen) -> Correction:
    i, j, u, lacking = seen
    prior = variance_of_difference(base.offsets, i, j), variance_of_difference(base.scales, i, j)
    offset, slope, noise = by_column(u, lacking, *prior)
    return Correction(i, j, offset, slope, lacking[:0], u[:0], np.sqrt(noise))


def _along_codes(
    base: AffineMap, inputs: Float[np.ndarray, "r p"], seen: Seen, found: RidgeFit
) -> Correction:
    i, j, u, lacking = seen
    rest = _columns(base, (i, j, u, lacking - lacking @ base.codes @ base.codes.T))
    left = ((found.left_out @ base.codes.T) ** 2).mean(axis=0)
    left = (len(u) * left + COUNTED * left.mean()) / (len(u) + COUNTED)
    return Correction(
        i,
        j,
        rest.offset + base.codes @ found.offset,
        rest.slope,
        found.weights @ base.codes.T,
        inputs,
        np.sqrt(rest.spread**2 + left),
    )


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
