"""Domain or covariate: how far the two can be told apart, and which answers extrapolate."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from elsewhere.covariates import Covariates
from elsewhere.covariates.confounding import Confounding
from elsewhere.covariates.words import in_words
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement, graded, percent, worst

INFLATED, LARGE = 2.0, 5.0  # times the standard error without confounding
SOME, MANY = 0.05, 0.2  # shares of rows whose covariates the target has never shown


@dataclass(frozen=True)
class Extrapolation:
    """Rows of `source` with a covariate that no row of `target` had in the fit."""

    source: Hashable
    target: Hashable
    share: float


@dataclass(frozen=True)
class Confounded:
    """What covariates and domains have in common, and the rows whose answers extrapolate."""

    found: Confounding
    pairs: tuple[Extrapolation, ...]
    verdict: Judgement


def confounding_check(case: Case) -> Confounded | None:
    """None where the fit has kept no covariates."""
    known = case.estimator.covariates_
    if known is None:
        return None
    pairs = tuple(Extrapolation(d, e, _unseen(case, known, d, e)) for d, e in case.pairs)
    return Confounded(known.confounding, pairs, _verdict(case, known.confounding, pairs))


def _unseen(case: Case, known: Covariates, d: Hashable, e: Hashable) -> float:
    rows = case.covariates[d]
    return float(known.unseen(rows, len(rows), case.estimator.domains_.index(e)).mean())


def _verdict(case: Case, found: Confounding, pairs: tuple[Extrapolation, ...]) -> Judgement:
    most = pairs[int(np.argmax([pair.share for pair in pairs]))]
    level = worst([graded(found.inflation, INFLATED, LARGE), graded(most.share, SOME, MANY)])
    site = str(case.estimator.domain_name_ or "domain")
    words = in_words(found, site)
    rows = (
        f" For {most.source} → {most.target}, {percent(most.share)} of the rows have covariates "
        f"unlike any in {most.target}: their answers are guesses beyond what was seen."
        if most.share
        else " No row has covariates unlike those of the domains it is moved to."
    )
    return Judgement(level, words[0].upper() + words[1:] + rows)
