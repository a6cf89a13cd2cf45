"""Children of a search: the parents, their axes replaced one after the other by the best there is.

A climb of all axes at once hardly ever leaves a basin in which one axis is idle while one that few
rows cross is missing. With all other axes held, that one is found at once.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

from elsewhere.fitting.profile.axes.climb import Stack
from elsewhere.fitting.profile.axes.moves import Children, best_distinct
from elsewhere.fitting.profile.axes.one_axis import STARTS, axis_starts, one_axis
from elsewhere.fitting.profile.axes.population import (
    PROGRESS,
    Population,
    climbed,
    compared,
    dense,
    points_of,
)
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.problem import Problem

EACH = 2  # replacements of one axis that are compared
MUTATE = (0.14, 0.07, 0.05)  # widths of the climb of all axes that follows
SAME = 0.02  # of a unit normal and its kink: nearer, an axis is the one it would replace


class Replacements:
    """Children of parents, none of which is looked at twice."""

    def __init__(self, rng: np.random.Generator, problem: Problem):
        self._rng, self._problem, self._seen = rng, problem, set[bytes]()
        self._points = points_of(problem)

    def __call__(self, parents: Stack) -> Children:
        """Every parent after one walk over its axes; and the likeliest of what was not taken."""
        new = {one.tobytes(): one for one in parents if one.tobytes() not in self._seen}
        self._seen |= new.keys()
        if not new:
            return parents[:0]
        rngs = self._rng.spawn(len(new))
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(os.cpu_count()) as pool:
            ends, left = zip(*pool.map(self._walk, new.values(), rngs), strict=True)
        others = compared(self._problem, np.concatenate(left))
        count = max(self._problem.options.starts // 4, 1)
        best = others.stack[best_distinct(others.values, count)]
        return np.concatenate([ends, self._climbed(best)])

    def _walk(self, axes: Axes, rng: np.random.Generator) -> tuple[Axes, Stack]:
        """The axes, each replaced where that helps; and replacements that were not taken."""
        here, left = compared(self._problem, axes[None]), [axes[None]]
        for j in rng.permutation(len(axes)):
            found = compared(self._problem, self._replaced(here.stack[0], int(j), rng))
            if not len(found.stack):
                continue
            best = found.best(1)
            if best.values[0] > here.values[0] + PROGRESS:
                climbed = compared(self._problem, self._climbed(best.stack))
                left.append(here.stack)
                here = Population.joined(best, climbed).best(1)
            left.append(found.stack)
        return here.stack[0], np.concatenate(left)

    def _replaced(self, axes: Axes, j: int, rng: np.random.Generator) -> Stack:
        """The axes with the best ones in the place of j, others than it is."""
        rows = self._problem.some(self._problem.options.compare_rows)
        starts = axis_starts(rng, axes, self._points, STARTS)
        found = one_axis(axes, j, rows, self._problem.kink).optima(starts, EACH + 1)
        old = axes[j] / np.linalg.norm(axes[j, :-1])
        found = found[np.linalg.norm(found - old, axis=1) > SAME][:EACH]
        copies = np.repeat(axes[None], len(found), axis=0)
        copies[:, j] = found
        return copies

    def _climbed(self, stack: Stack) -> Stack:
        return climbed(self._problem, stack, dense(stack), MUTATE)[0]
