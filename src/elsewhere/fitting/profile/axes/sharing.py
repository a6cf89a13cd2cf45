"""The search for axes in which all but k mechanisms can be shared, where Dense leaves a doubt.

A kink that few rows of any one domain cross hardly shows in the Dense likelihood, for each domain
can bend its own mechanisms around it; a mechanism shared by all domains cannot.
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.profile.axes.anneal import annealed, bold_mutants
from elsewhere.fitting.profile.axes.climb import Stack, exact, settle
from elsewhere.fitting.profile.axes.moves import best_distinct, mutants
from elsewhere.fitting.profile.axes.population import PROGRESS, climbed, dense, points_of
from elsewhere.fitting.profile.axes.replaced import MUTATE
from elsewhere.fitting.profile.axes.search import FINISH, Found, hopeful
from elsewhere.fitting.profile.candidates import (
    cheapest_ordering,
    least_loss,
    suspicious_loss,
)
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.orders.classes import kinds_of
from elsewhere.fitting.profile.problem import Problem

PROMISING = 0.03  # nats per row below Dense within which a fit is worth refining at once
NEAR = 0.1  # nats per row below Dense within which bolder moves are worth trying
Kinds = Int[np.ndarray, "R m"]


@dataclass(frozen=True)
class Sharers:
    """Axes in causal order, which mechanisms they share, and the likelihood; the best first."""

    stack: Stack
    kinds: Kinds
    values: Float[np.ndarray, " R"]

    def first(self, count: int) -> "Sharers":
        """The best few, one for each likelihood; the best again where there are fewer."""
        best = best_distinct(self.values, count)
        return Sharers(self.stack[best], self.kinds[best], self.values[best])


def find_sharing_axes(
    rng: np.random.Generator, problem: Problem, k: int, found: Found, *, rounds: int, patience: int
) -> Found:
    """argmax over axes of the likelihood with all but k mechanisms shared, by mutation.

    Ends after `patience` rounds without progress, or half as many once sharing costs no more than
    chance would against the Dense fit found. Nothing is done where that is so from the beginning.
    Progress is what would, at its pace, close the gap to Dense in the rounds allowed: where k is
    too small, nothing will. Near Dense, the moves turn bold before they end.
    """
    target = _dense_value(problem, found.dense, problem.options.refit_rows)
    target -= suspicious_loss(problem, k)
    if shares(problem, found, k):
        return found
    free = _dense_value(problem, found.dense, problem.options.compare_rows)
    best = _finished(problem, k, _sharing(problem, k, found.axes[None]))
    sharers, quiet = _compared(problem, _sharing(problem, k, found.runners_up)), 0
    bold = found.rough
    for done in range(rounds):
        if quiet >= (patience // 2 if best.values[0] >= target else patience):
            best = _better(best, _finished(problem, k, sharers))
            if bold or best.values[0] >= target or free - sharers.values[0] > NEAR:
                break
            bold, quiet = True, 0
        problem.progress(0.6, f"round {done + 1} of mutation with {k} mechanisms changing")
        before, sharers = sharers.values.max(), _mutated(rng, problem, k, sharers, bold)
        pace = max(PROGRESS, (free - before) / rounds)
        quiet = 0 if sharers.values[0] > before + pace else quiet + 1
        if not quiet and sharers.values[0] > free - PROMISING:
            best = _better(best, _finished(problem, k, sharers))
    else:
        best = _better(best, _finished(problem, k, sharers))
    return replace(found, axes=best.stack[0])


def shares(problem: Problem, found: Found, k: int) -> bool:
    """Whether sharing all but k mechanisms costs no more in these axes than chance would."""
    return least_loss(problem, found.axes, k) < suspicious_loss(problem, k)


def _mutated(
    rng: np.random.Generator, problem: Problem, k: int, parents: Sharers, bold: bool
) -> Sharers:
    """The best of the parents and their children; the best children find their order anew."""
    each = max(1, problem.options.starts // len(parents.stack))
    points = points_of(problem)
    mutate = bold_mutants if bold else mutants
    children = np.concatenate([mutate(rng, axes[None], each, points) for axes in parents.stack])
    kinds = np.repeat(parents.kinds, each, axis=0)
    stack, count = _improved(problem, children, kinds, bold), problem.options.parents
    young = _compared(problem, Sharers(stack, kinds, np.zeros(len(stack)))).first(2 * count)
    young = _compared(problem, _sharing(problem, k, young.stack))
    return _joined(parents, young).first(count)


def _improved(problem: Problem, stack: Stack, kinds: Kinds, bold: bool) -> Stack:
    return annealed(problem, stack, kinds) if bold else climbed(problem, stack, kinds, MUTATE)[0]


def _sharing(problem: Problem, k: int, stack: Stack) -> Sharers:
    """Each fit's axes in the order that shares all but k mechanisms at least cost, on few rows."""
    rows = problem.share(problem.options.refit_rows)
    orderings = [cheapest_ordering(problem, axes, k, rows) for axes in stack]
    ordered = np.stack([a[list(o.order)] for a, o in zip(stack, orderings, strict=True)])
    kinds = np.stack([kinds_of(ordering) for ordering in orderings])
    return Sharers(ordered, kinds, np.full(len(stack), -np.inf))


def _finished(problem: Problem, k: int, sharers: Sharers) -> Sharers:
    """The fits refined on more rows, and the best of them."""
    rows, few = problem.some(problem.options.refit_rows), hopeful(sharers.stack, sharers.values)
    stack, kinds = sharers.stack[few], sharers.kinds[few]
    stack = settle(stack, rows, kinds, problem.kink, FINISH, problem.options.steps)
    again = _sharing(problem, k, stack)
    values = exact(again.stack, rows, again.kinds, problem.kink)
    return replace(again, values=values).first(1)


def _compared(problem: Problem, sharers: Sharers) -> Sharers:
    rows = problem.some(problem.options.compare_rows)
    return replace(sharers, values=exact(sharers.stack, rows, sharers.kinds, problem.kink))


def _joined(one: Sharers, other: Sharers) -> Sharers:
    return Sharers(
        np.concatenate([one.stack, other.stack]),
        np.concatenate([one.kinds, other.kinds]),
        np.concatenate([one.values, other.values]),
    )


def _better(one: Sharers, other: Sharers) -> Sharers:
    return max(one, other, key=lambda sharers: sharers.values[0])


def _dense_value(problem: Problem, axes: Axes, total: int) -> float:
    rows = problem.some(total)
    return float(exact(axes[None], rows, dense(axes[None]), problem.kink)[0])
