"""The search for the latent axes where random starts end in many basins.

Where the latents nearly determine each other, the rows lie on thin sheets, and a climb ends
wherever its axes first agree with some of them. Blurred rows show where the kinks are; then the
blur fades.
"""

import numpy as np
from jaxtyping import Int

from elsewhere.fitting.profile.axes.climb import Stack, climb
from elsewhere.fitting.profile.axes.moves import Children, Points, idle_redrawn, mutants
from elsewhere.fitting.profile.problem import Problem

WIDTHS, BLURS = (0.3, 0.12, 0.05, 0.07, 0.05), (0.5, 0.1, 0.02, 0.0, 0.0)
LONGER = 5  # times as many steps a stage: paths are long where the rows are blurred


def annealed(problem: Problem, stack: Stack, kinds: Int[np.ndarray, "R m"]) -> Stack:
    """The fits after many steps on few rows, blurred at first."""
    rows, steps = problem.some(problem.options.explore_rows), LONGER * problem.options.steps
    return climb(stack, rows, kinds, problem.kink, WIDTHS, steps, BLURS)[0]


def bold_mutants(rng: np.random.Generator, parents: Stack, count: int, points: Points) -> Children:
    """Mutants, half of which have an idle kink drawn anew."""
    redrawn = idle_redrawn(rng, parents, count // 2, points)
    return np.concatenate([redrawn, mutants(rng, parents, count - len(redrawn), points)])
