"""From latent axes to the models that share all but k mechanisms."""

import numpy as np

from elsewhere.fitting.profile.moments import Axes, LatentMoments, latent_moments
from elsewhere.fitting.profile.orders.beam import beam_orderings
from elsewhere.fitting.profile.orders.classes import distinct, orders_first
from elsewhere.fitting.profile.orders.costs import SharingCosts, sharing_costs
from elsewhere.fitting.profile.orders.orderings import Ordering, best_orderings, costs_to_go
from elsewhere.fitting.profile.problem import Problem

EXACT_UP_TO = 14  # variables: 2^14 sets of predecessors
SCREEN = 0.01  # nats per row of sharing beyond the least, at most, for an ordering to be refitted
SUSPECT = 0.004  # nats per row of sharing above which the axes, or k, are in doubt


def candidate_orderings(problem: Problem, axes: Axes, k: int) -> list[Ordering]:
    """The best orderings with at most k changed variables, one for each class of counterfactuals.

    All sequences of the preferred changed variables come first: they explain the data alike.
    """
    moments = problem.moments(axes)
    tolerance = SCREEN + saved_parameters(problem, k) / problem.effective_rows
    orderings = _orderings(problem, moments, k, tolerance)
    return distinct(orders_first(orderings), moments, problem.options.classes)


def cheapest_ordering(problem: Problem, axes: Axes, k: int, rows: int | None = None) -> Ordering:
    """The ordering that shares all but k mechanisms at least cost, by the first rows or all."""
    tables = [table[:rows] for table in problem.train]
    return _orderings(problem, latent_moments(axes, tables, problem.slope), k, 0.0)[0]


def least_loss(problem: Problem, axes: Axes, k: int) -> float:
    """The fewest nats per row that sharing all but k mechanisms costs, over all orderings."""
    moments = problem.moments(axes)
    if problem.m > EXACT_UP_TO:
        return beam_orderings(moments, k, 0.0, problem.options.beam)[0].loss
    return float(costs_to_go(sharing_costs(moments), k, 0.0)[k, 0])


def suspicious_loss(problem: Problem, k: int) -> float:
    """SUSPECT + (parameters saved)/n: twice the loss that sampling alone would bring, and more."""
    return SUSPECT + saved_parameters(problem, k) / problem.effective_rows


def saved_parameters(problem: Problem, k: int) -> int:
    """How many parameters sharing the last m − k mechanisms saves, at most."""
    return int((np.arange(problem.m)[k:] + 2).sum()) * (len(problem.train) - 1)


def _orderings(
    problem: Problem, moments: LatentMoments, k: int, tolerance: float
) -> list[Ordering]:
    if problem.m > EXACT_UP_TO:
        return beam_orderings(moments, k, tolerance, problem.options.beam)
    costs: SharingCosts = sharing_costs(moments)
    return best_orderings(costs, k, tolerance + 1e-12)
