"""What is sufficient of more rows than memory holds: their number, mean and scatter, mergeable."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Whole:
    """n, E[x] and Σ (x − E[x])(x − E[x])ᵀ of rows of which a sample is at hand.

    Those of two sets of rows add up to those of both (Chan, Golub and LeVeque, 1983), to the last
    bits that the order of addition leaves open.
    """

    count: int
    mean: Float[np.ndarray, " m"]
    scatter: Float[np.ndarray, "m m"]

    @classmethod
    def of(cls, rows: Float[np.ndarray, "n m"]) -> "Whole":
        """Of rows at hand; there must be one."""
        mean = rows.mean(axis=0)
        centred = rows - mean
        return cls(len(rows), mean, centred.T @ centred)

    def __add__(self, other: "Whole") -> "Whole":
        count, apart = self.count + other.count, other.mean - self.mean
        between = np.outer(apart, apart) * (self.count * other.count / count)
        mean = self.mean + apart * (other.count / count)
        return Whole(count, mean, self.scatter + other.scatter + between)

    def matched(self, sample: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """x ↦ E + F G⁻¹ (x − Ê): the sample with the mean and covariance F Fᵀ of all rows.

        G Gᵀ is the sample's own covariance; rows move by no more than the sample errs. Where a
        covariance has no factor, each column gets its mean and deviation. A sample that is all of
        the rows stays as it is.
        """
        if len(sample) == self.count:
            return sample
        mine = Whole.of(sample)
        wanted, seen = self.scatter / self.count, mine.scatter / mine.count
        return self.mean + (sample - mine.mean) @ _turned(wanted, seen).T


Wholes = Mapping[Hashable, Whole]


def matched_tables(
    tables: dict[Hashable, Float[np.ndarray, "_ m"]], wholes: Wholes | None
) -> dict[Hashable, Float[np.ndarray, "_ m"]]:
    """Every domain's sample with the moments of all of its rows, where these are known."""
    return tables if wholes is None else {d: wholes[d].matched(x) for d, x in tables.items()}


def _turned(
    wanted: Float[np.ndarray, "m m"], seen: Float[np.ndarray, "m m"]
) -> Float[np.ndarray, "m m"]:
    """F G⁻¹, of the correlations, so that units do not matter."""
    deviations = [np.sqrt(np.diagonal(c)) for c in (wanted, seen)]
    scales, own = (np.where(d > 0, d, 1.0) for d in deviations)
    try:
        F, G = (np.linalg.cholesky(c / np.outer(d, d)) for c, d in ((wanted, scales), (seen, own)))
    except np.linalg.LinAlgError:
        return np.diag(scales / own)
    return scales[:, None] * np.linalg.solve(G.T, F.T).T / own
