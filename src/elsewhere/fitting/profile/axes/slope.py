"""The slope of the rectifier, learnt from the axes that another slope has found."""

from dataclasses import replace

import numpy as np

from elsewhere.fitting.profile.axes.climb import exact, settle
from elsewhere.fitting.profile.axes.population import dense
from elsewhere.fitting.profile.axes.search import FINISH, Found
from elsewhere.fitting.profile.kink import kink_of
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.problem import Problem

LEAST, MOST = 0.05, 0.95  # slopes that are considered
STEP, FINEST = 0.35, 0.03  # of log slope: of the first step, and of the last
LEAST_GAIN = 0.002  # nats per row that another slope must bring


def with_best_slope(problem: Problem, found: Found) -> tuple[Problem, Found]:
    """argmax over the slope, every axis at its best: step by step while that pays, ever finer.

    Each step starts from the axes of the one before, for kinks stay near where they are.
    """
    best = start = _settled(problem, found.axes)
    step = STEP
    while step > FINEST:
        tried = [_settled(_at(best[1], sign * step), best[2]) for sign in (1, -1)]
        higher = max(tried, key=lambda one: one[0])
        best, step = (higher, step) if higher[0] > best[0] else (best, step / 3)
    if best[0] < start[0] + LEAST_GAIN:
        return problem, found
    problem.progress(0.4, f"slope {best[1].slope:.2f}")
    return best[1], replace(found, axes=best[2], dense=best[2])


def _at(problem: Problem, step: float) -> Problem:
    slope = float(np.clip(problem.slope * np.exp(step), LEAST, MOST))
    return replace(problem, slope=slope, kink=kink_of(slope))


def _settled(problem: Problem, axes: Axes) -> tuple[float, Problem, Axes]:
    """(Dense likelihood per row, the problem, its axes refined for the problem's slope)."""
    rows, kinds = problem.some(problem.options.refit_rows), dense(axes[None])
    stack = settle(axes[None], rows, kinds, problem.kink, FINISH, problem.options.steps)
    return float(exact(stack, rows, kinds, problem.kink)[0]), problem, stack[0]
