"""The search for the latent axes of a leaky mixing: the Dense fit, which does not depend on k."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.profile.axes.anneal import annealed
from elsewhere.fitting.profile.axes.climb import Stack, exact, settle
from elsewhere.fitting.profile.axes.moves import random_starts
from elsewhere.fitting.profile.axes.population import (
    SAME,
    Population,
    climbed,
    compared,
    dense,
    evolved,
)
from elsewhere.fitting.profile.axes.replaced import Replacements
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.split import FitError

EXPLORE = ((0.3, 0.2, 0.14), (0.1, 0.07, 0.05))  # as long as MUTATE: one compilation
FINISH = (0.05, 0.02)
PATIENCE = 2  # rounds without progress that end a search whose starts disagree
HOPE = 0.05  # nats per row that refining on more rows may make up for


@dataclass(frozen=True)
class Found:
    """Axes, those at which Dense is best, its runners-up, and how many starts agreed on these.

    `rough`: the starts ended in many basins, so that the search annealed.
    """

    axes: Axes
    dense: Axes
    runners_up: Stack
    agreeing: int
    rough: bool = False


def find_axes(rng: np.random.Generator, problem: Problem, *, patience: int = 0) -> Found:
    """argmax over [W | β] of the Dense likelihood, by starts, then by replaced axes while it pays.

    Args:
        rng: of the starts and of the axes that replace others.
        problem: the data.
        patience: how many rounds without progress end the search where enough starts agree.
    """
    starts, options = explore(rng, problem), problem.options
    few = starts.agreeing < options.agree
    rough = few and starts.is_rough(options.starts // 4)
    if rough:
        starts = starts.joined(_annealed(rng, problem))
    parents = _evolved(rng, problem, starts, PATIENCE if few else patience)
    axes = finish(problem, parents.stack[hopeful(parents.stack, parents.values)])
    return Found(axes, axes, parents.stack, starts.agreeing, rough)


def go_on(rng: np.random.Generator, problem: Problem, found: Found) -> Found:
    """The search resumed from its survivors and as many new starts, where its axes are in doubt.

    Several starts may agree on a wrong basin; replaced axes leave it.
    """
    young = _annealed(rng, problem) if found.rough else explore(rng, problem)
    young = young.joined(compared(problem, found.runners_up))
    parents = _evolved(rng, problem, young, PATIENCE)
    best = parents.stack[hopeful(parents.stack, parents.values)]
    axes = finish(problem, np.concatenate([best, found.axes[None]]))
    return replace(found, axes=axes, dense=axes, runners_up=parents.stack)


def explore(rng: np.random.Generator, problem: Problem) -> Population:
    """Random starts after few steps on few rows."""
    stack = random_starts(rng, problem.options.starts, problem.m)
    stack, first = climbed(problem, stack, dense(stack), EXPLORE[0])
    stack, then = climbed(problem, stack, dense(stack), EXPLORE[1])
    starts = compared(problem, stack)
    check_some_finite(starts.values, first + then)
    problem.progress(0.3, f"{starts.agreeing} of {len(stack)} starts agree")
    return starts


def _evolved(
    rng: np.random.Generator, problem: Problem, starts: Population, patience: int
) -> Population:
    """The best after rounds of replacements, until so many bring no progress."""
    parents = starts.best(problem.options.parents, SAME)
    return evolved(problem, parents, Replacements(rng, problem), patience, SAME)


def _annealed(rng: np.random.Generator, problem: Problem) -> Population:
    """Random starts, annealed."""
    stack = random_starts(rng, problem.options.starts, problem.m)
    return compared(problem, annealed(problem, stack, dense(stack)))


def finish(problem: Problem, stack: Stack) -> Axes:
    """The best of the fits once refined on more rows."""
    rows, kinds = problem.some(problem.options.refit_rows), dense(stack)
    refined = settle(stack, rows, kinds, problem.kink, FINISH, problem.options.steps)
    return refined[int(exact(refined, rows, kinds, problem.kink).argmax())]


def hopeful(stack: Stack, values: Float[np.ndarray, " R"]) -> Int[np.ndarray, " few"]:
    """Where the distinct fits are that more rows may show to be the best."""
    near = np.flatnonzero(values >= values.max() - HOPE)
    return near[np.unique(stack[near], axis=0, return_index=True)[1]]


def check_some_finite(values: Float[np.ndarray, " R"], steps: Int[np.ndarray, " R"]) -> None:
    """Raise when no restart has a finite likelihood."""
    if np.isfinite(values).any():
        return
    last = int(steps.argmax())
    raise FitError(
        f"all {len(values)} restarts diverged; restart {last} came furthest and stopped at step "
        f"{int(steps[last])} without a finite likelihood. Look for rows that repeat or lie far "
        "out, give more rows, or raise Options(explore_rows=...)."
    )
