"""The search for the latent axes where random starts end in many basins.

Where the latents nearly determine each other, the rows lie on thin sheets, and a climb ends
wherever its axes first agree with some of them. Blurred rows show where the kinks are; then the
blur fades.
"""

from functools import partial

import numpy as np
from jaxtyping import Int

from elsewhere.fitting.profile.axes.climb import Stack, climb
from elsewhere.fitting.profile.axes.moves import (
    Children,
    Points,
    idle_redrawn,
    mutants,
    random_starts,
)
from elsewhere.fitting.profile.axes.population import (
    SAME,
    Population,
    compared,
    dense,
    evolved,
    points_of,
)
from elsewhere.fitting.profile.problem import Problem

WIDTHS, BLURS = (0.3, 0.12, 0.05, 0.07, 0.05), (0.5, 0.1, 0.02, 0.0, 0.0)
LONGER = 5  # times as many steps a stage: paths are long where the rows are blurred
PATIENCE = 4


def anneal(rng: np.random.Generator, problem: Problem, found: Population) -> Population:
    """argmax over [W | β] of the Dense likelihood: random starts, then mutation, all annealed."""
    starts = random_starts(rng, problem.options.starts, problem.m)
    population = found.joined(compared(problem, annealed(problem, starts, dense(starts))))
    parents = population.best(problem.options.parents)
    if population.agreeing >= problem.options.agree:
        return parents
    return evolved(problem, parents, partial(_children, rng, problem), PATIENCE, SAME)


def annealed(problem: Problem, stack: Stack, kinds: Int[np.ndarray, "R m"]) -> Stack:
    """The fits after many steps on few rows, blurred at first."""
    rows, steps = problem.some(problem.options.explore_rows), LONGER * problem.options.steps
    return climb(stack, rows, kinds, problem.kink, WIDTHS, steps, BLURS)[0]


def bold_mutants(rng: np.random.Generator, parents: Stack, count: int, points: Points) -> Children:
    """Mutants, half of which have an idle kink drawn anew."""
    redrawn = idle_redrawn(rng, parents, count // 2, points)
    return np.concatenate([redrawn, mutants(rng, parents, count - len(redrawn), points)])


def _children(rng: np.random.Generator, problem: Problem, parents: Stack) -> Children:
    young = bold_mutants(rng, parents, problem.options.starts, points_of(problem))
    return annealed(problem, young, dense(young))
