"""Is the difference between domains gone, and no more than that?"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from elsewhere.trust.case import Case, Pair
from elsewhere.trust.judgement import Judgement, graded, percent, worst

CERTAIN = 3.0  # standard errors, from which on a gap between two domains' means is one
SOME = 0.3  # of the gaps


@dataclass(frozen=True)
class GapsLeft:
    """What is left of the gaps between domains' means, over all pairs and columns.

    Attributes:
        under: the share of the gaps that is left, each in the direction it had.
        over: the share by which gaps are overshot, so that they point the other way.
        made: the share of columns and pairs without a gap that have one once rows are moved.
        gaps: how many gaps there were, of columns and pairs.
    """

    under: float
    over: float
    made: float
    gaps: int
    verdict: Judgement


def correction(case: Case) -> GapsLeft:
    """Gaps of more than 3 standard errors, before and after rows of d are moved to d'.

    Without what covariates explain, where the fit has kept any: that difference is to stay.
    """
    found = [_gaps(case, pair) for pair in case.pairs]
    before, after, error = (np.stack(part) for part in zip(*found, strict=True))
    real = np.abs(before) > CERTAIN * error
    left = np.sign(before[real]) * after[real]
    total = max(float(np.abs(before[real]).sum()), 1e-300)
    under, over = (float(np.maximum(part, 0).sum()) / total for part in (left, -left))
    none = np.abs(after[~real]) > CERTAIN * error[~real]
    made = float(none.mean()) if none.size else 0.0
    gaps = int(real.sum())
    return GapsLeft(under, over, made, gaps, _verdict(under, over, made, gaps))


def _gaps(case: Case, pair: Pair) -> tuple[np.ndarray, np.ndarray, Float[np.ndarray, " m"]]:
    """(gap before, gap after, its standard error), in deviations within domains."""
    d, e = pair
    there = case.linked[e].mean(axis=0)
    before = (case.linked[d].mean(axis=0) - there) / case.unit
    after = (case.moved[pair].mean(axis=0) - there) / case.unit
    error = np.sqrt(1 / len(case.linked[d]) + 1 / len(case.linked[e]))
    return before, after, np.full_like(before, error)


def _verdict(under: float, over: float, made: float, gaps: int) -> Judgement:
    if not gaps and not made:
        return Judgement("good", "There was no gap between domains to close, and none was made.")
    level = worst(graded(value, SOME, np.inf) for value in (under, over, made))
    words = (
        f"{percent(under)} of the gaps between domain means is left (under-correction), and "
        f"{percent(over)} is overshot (over-correction)."
    )
    opened = f" {percent(made)} of the columns and pairs without a gap have one once moved."
    measure = (
        f"{gaps} gaps of more than {CERTAIN:g} standard errors. Fine up to {percent(SOME)} each."
    )
    if level == "good":
        return Judgement(level, words, measure)
    remedy = (
        "See which domains have few rows, and whether covariates that differ between them are kept."
    )
    return Judgement(level, words + (opened if made > SOME else ""), measure, remedy)
