"""Rows whose counterfactual lies where the target domain has no data."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from scipy.spatial import KDTree
from scipy.stats import chi2

from elsewhere.trust.case import Case, Pair
from elsewhere.trust.judgement import Judgement, graded, percent, worst

NOISE_LEVEL, NEAREST_LEVEL = 0.999, 0.99
SOME, MANY = 0.05, 0.2  # shares of rows


@dataclass(frozen=True)
class PairSupport:
    """Rows of `source` moved to `target`: what share of them is off the target's support.

    Attributes:
        unlikely_noise: share whose noise has ‖ε‖² beyond the 99.9 % point of χ²(m).
        far: share further from the nearest row of the target than 99 % of the target's own rows.
    """

    source: Hashable
    target: Hashable
    unlikely_noise: float
    far: float


@dataclass(frozen=True)
class Support:
    """Every ordered pair of domains, and what they say together."""

    pairs: tuple[PairSupport, ...]
    verdict: Judgement


def support(case: Case) -> Support:
    """The share of rows off the support of each target."""
    pairs = tuple(_pair(case, pair) for pair in case.pairs)
    return Support(pairs, _verdict(pairs))


def off_support(case: Case, pair: Pair) -> Bool[np.ndarray, " n"]:
    """Which rows are flagged, by their noise or by their nearest neighbour."""
    return unlikely(case.noise[pair[0]]) | far(case.moved[pair], case.linked[pair[1]])


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
    tree = KDTree(target / unit)
    own = tree.query(target / unit, k=2)[0][:, 1]
    return tree.query(moved / unit, k=1)[0] > np.quantile(own, NEAREST_LEVEL)


def _pair(case: Case, pair: Pair) -> PairSupport:
    noise, near = unlikely(case.noise[pair[0]]), far(case.moved[pair], case.linked[pair[1]])
    return PairSupport(*pair, float(noise.mean()), float(near.mean()))


def _verdict(pairs: tuple[PairSupport, ...]) -> Judgement:
    shares = [max(pair.unlikely_noise, pair.far) for pair in pairs]
    level = worst(graded(share, SOME, MANY) for share in shares)
    most = pairs[int(np.argmax(shares))]
    words = f"for {most.source} → {most.target} {percent(max(shares))} of the rows"
    if level == "good":
        return Judgement(
            "good", f"Counterfactuals stay where the target has data ({words} do not)."
        )
    return Judgement(
        level,
        f"Some counterfactuals lie where the target domain has no data: {words}. There the model "
        "extrapolates.",
    )
