"""Which of the equally likely models to prefer: the one with the fewest changed parameters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elsewhere.fitting.kinds import OWN_BUT_SCALE
from elsewhere.fitting.profile.likelihood import mean_over_domains, paired
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.profile.refit import Fitted, count_parameters

LEAST_DIFFERENCE = 0.002  # nats per row that tell two models apart
RESOLUTION = 0.001  # nats per row that own noise scales must earn beyond their parameters

PRINCIPLE = (
    "among models as likely as the best on held-out rows, the one that explains the domains with "
    "the fewest changed parameters: the highest log-likelihood − parameters·log(n)/(2n) per row, "
    "each model with its domains' own noise scales or with one scale for all; where own scales are "
    "preferred, orders of the same changed variables score alike, and the one that loses the least "
    "by one scale for all comes first"
)


@dataclass(frozen=True)
class Choice:
    """One candidate: the variant that the score prefers, and that score."""

    fitted: Fitted
    score: float
    one_scale: float  # the score with one noise scale for all domains
    shortfall: float  # nats per row below the best, own noise scales, held-out
    tolerance: float

    @property
    def admitted(self) -> bool:
        """Whether it counts as likely as the best."""
        return self.shortfall <= self.tolerance


def choose(problem: Problem, own: Sequence[Fitted], one_scale: Sequence[Fitted]) -> list[Choice]:
    """The candidates as likely as the best, by score = max(own, shared scales), highest first.

    A candidate's shortfall is the mean paired difference, on held-out rows, between the best
    own-scale fit and its own. It is as likely as the best when the shortfall is at most

        LEAST_DIFFERENCE + 2 standard errors of the difference + |Δ parameters|·log(n)/(2n).

    Scores are log-likelihood − parameters·log(n)/(2n) per row (BIC) on the rows fitted, with n the
    effective number of rows. Own noise scales must earn RESOLUTION more than that, for optimisation
    tells smaller differences apart badly; orderings of the same changed variables are equally
    likely with own scales, so each is given the best score of them, and it is the cost of sharing
    the scales that ranks them.
    """
    best = max(own, key=lambda fitted: mean_over_domains(fitted.held_out))
    highest = _highest_scores(problem, own)
    pairs = zip(own, one_scale, strict=True)
    choices = [_choice(problem, mine, one, best, highest[_changed(mine)]) for mine, one in pairs]
    admitted = [choice for choice in choices if choice.admitted]
    return sorted(admitted, key=lambda choice: (-choice.score, -choice.one_scale))


def score(problem: Problem, fitted: Fitted) -> float:
    """log-likelihood − parameters·log(n)/(2n), per row."""
    return fitted.train - _paid(problem, fitted)


def _paid(problem: Problem, fitted: Fitted) -> float:
    return count_parameters(fitted.kinds, len(problem.train)) * _price(problem)


def _highest_scores(problem: Problem, own: Sequence[Fitted]) -> dict[frozenset[int], float]:
    """The highest score with own noise scales, for each set of changed variables."""
    ascending = sorted(own, key=lambda fitted: score(problem, fitted))
    return {_changed(fitted): score(problem, fitted) for fitted in ascending}


def _changed(fitted: Fitted) -> frozenset[int]:
    return frozenset(fitted.ordering.changed)


def _choice(problem: Problem, own: Fitted, shared: Fitted, best: Fitted, highest: float) -> Choice:
    with_own = highest - RESOLUTION
    with_one = score(problem, shared)
    keeps_own = with_own > with_one or not (shared.kinds == OWN_BUT_SCALE).any()
    mean, error = paired(best.held_out, own.held_out)
    more = abs(_paid(problem, own) - _paid(problem, best))
    fitted = own if keeps_own else shared
    tolerance = LEAST_DIFFERENCE + 2 * error + more
    return Choice(fitted, max(with_own, with_one), with_one, mean, tolerance)


def _price(problem: Problem) -> float:
    n = problem.effective_rows
    return float(np.log(n) / (2 * n))
