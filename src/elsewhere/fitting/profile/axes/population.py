"""Fits of a search that compete, and their evolution on few rows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.profile.axes.climb import Stack, climb, exact
from elsewhere.fitting.profile.axes.moves import Children, best_distinct
from elsewhere.fitting.profile.problem import Problem

SAME = 0.005  # nats per row within which two starts are said to agree
ROUGH = 0.075  # nats per row between the best starts that speak of many basins
PROGRESS = 0.001  # nats per row that make a round of mutation worth it


@dataclass(frozen=True)
class Population:
    """Fits so far, their Dense likelihoods, and the rounds it took."""

    stack: Stack
    values: Float[np.ndarray, " R"]
    rounds: int = 0

    def best(self, count: int, apart: float = 1e-3) -> "Population":
        """The best distinct ones, the best first."""
        kept = best_distinct(self.values, count, apart)
        return Population(self.stack[kept], self.values[kept], self.rounds)

    def joined(self, other: "Population") -> "Population":
        """These and the others."""
        stack = np.concatenate([self.stack, other.stack])
        return Population(stack, np.concatenate([self.values, other.values]), self.rounds)

    @property
    def agreeing(self) -> int:
        """How many reach the best likelihood."""
        return int((self.values > self.values.max() - SAME).sum())

    def is_rough(self, count: int) -> bool:
        """Whether fewer than this many come near the best."""
        return int((self.values > self.values.max() - ROUGH).sum()) < count


def climbed(
    problem: Problem, stack: Stack, kinds: Int[np.ndarray, "R m"], widths: tuple[float, ...]
) -> tuple[Stack, Int[np.ndarray, " R"]]:
    """The fits after few steps on few rows, and how many steps each made."""
    rows = problem.some(problem.options.explore_rows)
    return climb(stack, rows, kinds, problem.kink, widths, problem.options.steps)


def compared(problem: Problem, stack: Stack) -> Population:
    """The fits with their exact Dense likelihoods."""
    rows = problem.some(problem.options.compare_rows)
    return Population(stack, exact(stack, rows, dense(stack), problem.kink))


def evolved(
    problem: Problem,
    parents: Population,
    children: Callable[[Stack], Children],
    patience: int,
    apart: float = 1e-3,
) -> Population:
    """The parents after rounds of children, until `patience` rounds bring no progress.

    Those that survive a round are at least `apart` nats apart.
    """
    quiet, options = 0, problem.options
    while quiet < patience and parents.rounds < options.rounds:
        before, rounds = parents.values[0], parents.rounds + 1
        both = parents.joined(compared(problem, children(parents.stack)))
        parents = replace(both.best(options.parents, apart), rounds=rounds)
        problem.progress(0.3 + 0.3 * rounds / options.rounds, f"round {rounds} of replaced axes")
        quiet = 0 if parents.values[0] > before + PROGRESS else quiet + 1
    return parents


def dense(stack: Stack) -> Int[np.ndarray, "R m"]:
    """Every mechanism each domain's own."""
    return np.full(stack.shape[:2], OWN)


def points_of(problem: Problem) -> Float[np.ndarray, "n m"]:
    """The rows of all domains that the search sees, for kinks to pass through."""
    count = problem.share(problem.options.explore_rows)
    return np.concatenate([table[:count] for table in problem.train])
