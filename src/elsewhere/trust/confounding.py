"""Domain or covariate: how far the two can be told apart, and which answers extrapolate."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from elsewhere.covariates import Covariates
from elsewhere.covariates.confounding import Confounding
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
    mixed, beyond = graded(found.inflation, INFLATED, LARGE), graded(most.share, SOME, MANY)
    site = str(case.estimator.domain_name_ or "domain")
    name = max(found.by_covariate, key=lambda pair: pair[1])[0]
    words, remedy = [], []
    if mixed != "good":
        words.append(f"{site} and {name} go together, so that one can pass for the other.")
        remedy.append(f"Add rows in which {site} and {name} do not go together.")
    if beyond != "good":
        words.append(
            f"For {most.source} → {most.target}, {percent(most.share)} of the rows have covariates "
            f"unlike any in {most.target}: their answers are guesses beyond what was seen."
        )
        remedy.append("Leave such rows out, or do not rely on their answers.")
    said = words or [f"What the covariates do can be told from what {site} does."]
    return Judgement(
        worst([mixed, beyond]), " ".join(said), _measure(found, most), " ".join(remedy)
    )


def _measure(found: Confounding, most: Extrapolation) -> str:
    """Both numbers with their scales."""
    return (
        f"Answers are {max(found.inflation, 1.0):.2g} times as uncertain as if covariates were "
        f"alike at most: fine up to {INFLATED:g}, poor from {LARGE:g}. Rows with covariates unlike "
        f"any of the target: up to {percent(most.share)}; fine up to {percent(SOME)}, poor from "
        f"{percent(MANY)}."
    )
