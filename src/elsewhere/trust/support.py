"""Rows whose counterfactual lies where the target domain has no data."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.spatial import KDTree
from scipy.stats import chi2

from elsewhere.model import ILD
from elsewhere.trust.case import FEW, Case, Pair
from elsewhere.trust.judgement import Judgement, few_of_many, graded, listed, percent, typical

NOISE_LEVEL, NEAREST_LEVEL = 0.999, 0.99
SOME, MANY = 0.05, 0.2  # shares of rows
NARROW = 20  # columns up to which a tree finds neighbours faster than a product of matrices


@dataclass(frozen=True)
class PairSupport:
    """Rows of `source` moved to `target`: what share of them is off the target's support.

    Attributes:
        unlikely_noise: share whose noise has ‖ε‖² beyond the 99.9 % point of χ²(m); None for a
            model whose noise need not be normal.
        far: share further from the nearest row of the target than 99 % of the target's own rows.
    """

    source: Hashable
    target: Hashable
    unlikely_noise: float | None
    far: float


@dataclass(frozen=True)
class Support:
    """Every ordered pair of domains, and what they say together."""

    pairs: tuple[PairSupport, ...]
    verdict: Judgement


def support(case: Case) -> Support:
    """The share of rows off the support of each target."""
    pairs = tuple(_pair(case, pair) for pair in case.pairs)
    return Support(pairs, _verdict(case, pairs))


def off_support(case: Case, pair: Pair) -> Bool[np.ndarray, " n"]:
    """Which rows are flagged, by their noise or by their nearest neighbour."""
    near = far(case.moved[pair], case.linked[pair[1]])
    return unlikely(case.noise[pair[0]]) | near if isinstance(case.model, ILD) else near


def unlikely(eps: Float[np.ndarray, "n m"]) -> Bool[np.ndarray, " n"]:
    """‖ε‖² > χ²_m(99.9 %): one row in a thousand, if the noise is N(0, I)."""
    return (eps**2).sum(axis=1) > chi2.ppf(NOISE_LEVEL, eps.shape[1])


def far(
    moved: Float[np.ndarray, "a m"], target: Float[np.ndarray, "b m"]
) -> Bool[np.ndarray, " a"]:
    """Further from the nearest of the target's rows than 99 % of these are from one another.

    Distances are Euclidean once the target's columns have unit deviation.
    """
    unit = np.where(target.std(axis=0) > 0, target.std(axis=0), 1.0)
    if len(target) < 2:
        return np.zeros(len(moved), bool)
    own = np.sort(_nearest(target / unit, target / unit, 2), axis=1)[:, 1]
    return _nearest(moved / unit, target / unit, 1)[:, 0] > np.quantile(own, NEAREST_LEVEL)


def _nearest(
    x: Float[np.ndarray, "a m"], y: Float[np.ndarray, "b m"], count: int
) -> Float[np.ndarray, "a k"]:
    """Distances of each x to its `count` nearest rows of y."""
    if x.shape[1] <= NARROW:
        return KDTree(y).query(x, k=[*range(1, count + 1)])[0]  # type: ignore[arg-type]
    squares = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * x @ y.T
    return np.sqrt(np.maximum(np.partition(squares, count - 1, axis=1)[:, :count], 0.0))


def _pair(case: Case, pair: Pair) -> PairSupport:
    near = float(far(case.moved[pair], case.linked[pair[1]]).mean())
    if not isinstance(case.model, ILD):
        return PairSupport(*pair, None, near)
    return PairSupport(*pair, float(unlikely(case.noise[pair[0]]).mean()), near)


def _verdict(case: Case, pairs: tuple[PairSupport, ...]) -> Judgement:
    judged = [pair for pair in pairs if {pair.source, pair.target}.isdisjoint(case.small)]
    shares = {(p.source, p.target): max(p.unlikely_noise or 0.0, p.far) for p in judged}
    level = typical({pair: graded(share, SOME, MANY) for pair, share in shares.items()})
    others = few_of_many(len(case.small), len(case.linked))
    if level == "unknown" or (level == "good" and case.small and not others):
        return Judgement(
            "unknown",
            f"Fewer than {FEW} rows in {listed(case.small)}: too few to say where a domain has "
            "data and where not.",
            remedy=f"Collect at least {FEW} rows per domain.",
        )
    measure = _measure(shares)
    if level == "good":
        apart = f" Too few rows to tell: {listed(case.small)}." if case.small else ""
        words = f"Moved rows stay where the target domain has data.{apart}"
        return Judgement("good", words, measure)
    return Judgement(
        level,
        "Some moved rows lie where the target domain has no data: there the model guesses beyond "
        "what it has seen.",
        measure,
        "Leave out rows unlike any of the target domain, or treat their answers as guesses.",
    )


def _measure(shares: dict[Pair, float]) -> str:
    most = max(shares, key=lambda pair: shares[pair])
    mean = sum(shares.values()) / len(shares)
    return (
        f"{percent(mean)} of moved rows lie outside ({percent(shares[most])} for {most[0]} → "
        f"{most[1]}). Fine up to {percent(SOME)}, poor from {percent(MANY)}."
    )
