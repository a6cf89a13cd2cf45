"""The search for the latent axes of a leaky mixing: the Dense fit, which does not depend on k."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.axes.climb import OWN, Stack, climb, exact, settle
from elsewhere.fitting.axes.moves import best_distinct, mutants, random_starts
from elsewhere.fitting.problem import Problem
from elsewhere.fitting.result import FitError

Axes = Float[np.ndarray, "m m+1"]
EXPLORE = ((0.3, 0.2, 0.14), (0.1, 0.07, 0.05))  # as long as MUTATE: one compilation
MUTATE = (0.14, 0.07, 0.05)
FINISH = (0.05, 0.02)
SAME = 0.005  # nats a row within which two starts are said to agree
HOPE = 0.05  # nats a row that refining on more rows may make up for
PROGRESS = 0.001  # nats a row that make a round of mutation worth it


@dataclass(frozen=True)
class Found:
    """Axes, those at which Dense is best, its runners-up, and how many starts agreed on these."""

    axes: Axes
    dense: Axes
    runners_up: Stack
    agreeing: int


@dataclass(frozen=True)
class Population:
    """Fits so far, the best first, and the rounds it took."""

    stack: Stack
    values: Float[np.ndarray, " parents"]
    rounds: int = 0

    def best(self, count: int) -> "Population":
        """The best distinct ones."""
        kept = best_distinct(self.values, count)
        return Population(self.stack[kept], self.values[kept], self.rounds)


def find_axes(rng: np.random.Generator, problem: Problem, *, patience: int = 0) -> Found:
    """argmax over [W | β] of the Dense likelihood, by many starts, then mutation while it pays.

    Args:
        rng: of the starts and the moves.
        problem: the data.
        patience: how many rounds without progress end the search; at least one where few starts
            agree.
    """
    population, agreeing = explore(rng, problem)
    patience = max(patience, int(agreeing < problem.options.agree))
    population = _mutate_until_quiet(rng, problem, population, patience)
    axes = finish(problem, population.stack[hopeful(population.stack, population.values)])
    return Found(axes, axes, population.stack, agreeing)


def explore(rng: np.random.Generator, problem: Problem) -> tuple[Population, int]:
    """Random starts on few rows: the best distinct fits, and how many starts agree on the best."""
    options = problem.options
    stack, steps = random_starts(rng, options.starts, problem.m), 0
    for widths in EXPLORE:
        stack, accepted = _climb_dense(problem, stack, widths)
        steps = steps + accepted
    values = _compare(problem, stack)
    check_some_finite(values, np.asarray(steps))
    agreeing = int((values > values.max() - SAME).sum())
    problem.progress(0.3, f"{agreeing} of {options.starts} starts agree")
    return Population(stack, values).best(options.parents), agreeing


def finish(problem: Problem, stack: Stack) -> Axes:
    """The best of the fits once refined on more rows."""
    rows, kinds = problem.some(problem.options.refit_rows), dense(stack)
    refined = settle(stack, rows, kinds, problem.kink, FINISH, problem.options.steps)
    return refined[int(exact(refined, rows, kinds, problem.kink).argmax())]


def hopeful(stack: Stack, values: Float[np.ndarray, " R"]) -> Int[np.ndarray, " few"]:
    """Where the distinct fits are that more rows may show to be the best."""
    near = np.flatnonzero(values >= values.max() - HOPE)
    return near[np.unique(stack[near], axis=0, return_index=True)[1]]


def dense(stack: Stack) -> Int[np.ndarray, "R m"]:
    """Every mechanism each domain's own."""
    return np.full(stack.shape[:2], OWN)


def points_of(problem: Problem) -> Float[np.ndarray, "n m"]:
    """The rows of all domains that the search sees, for kinks to pass through."""
    count = problem.share(problem.options.explore_rows)
    return np.concatenate([table[:count] for table in problem.train])


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


def _mutate_until_quiet(
    rng: np.random.Generator, problem: Problem, population: Population, patience: int
) -> Population:
    quiet = 0
    while quiet < patience and population.rounds < problem.options.rounds:
        before = population.values[0]
        population = _mutate(rng, problem, population)
        quiet = 0 if population.values[0] > before + PROGRESS else quiet + 1
    return population


def _mutate(rng: np.random.Generator, problem: Problem, population: Population) -> Population:
    options = problem.options
    children = mutants(rng, population.stack, options.starts, points_of(problem))
    children, _ = _climb_dense(problem, children, MUTATE)
    stack = np.concatenate([population.stack, children])
    values = np.concatenate([population.values, _compare(problem, children)])
    rounds = population.rounds + 1
    problem.progress(0.3 + 0.3 * rounds / options.rounds, f"round {rounds} of mutation")
    return Population(stack, values, rounds).best(options.parents)


def _climb_dense(
    problem: Problem, stack: Stack, widths: tuple[float, ...]
) -> tuple[Stack, Int[np.ndarray, " R"]]:
    rows = problem.some(problem.options.explore_rows)
    return climb(stack, rows, dense(stack), problem.kink, widths, problem.options.steps)


def _compare(problem: Problem, stack: Stack) -> Float[np.ndarray, " R"]:
    return exact(stack, problem.some(problem.options.compare_rows), dense(stack), problem.kink)
