"""How many mechanisms change, read off held-out rows."""

from collections.abc import Callable, Sequence

import numpy as np

from elsewhere.fitting.candidates import best_by_k
from elsewhere.fitting.choose import score
from elsewhere.fitting.likelihood import mean_over_domains, paired
from elsewhere.fitting.problem import Problem
from elsewhere.fitting.refit import Fitted, refit
from elsewhere.fitting.result import PathPoint
from elsewhere.fitting.search import Axes, Found

FLOOR = 0.003  # nats a row: a shortfall from Dense that optimisation alone can bring


def sparsity_path(problem: Problem, axes_of: Callable[[int], Axes]) -> tuple[PathPoint, ...]:
    """Held-out log-likelihood for k = 0..m, with its paired difference to Dense (k = m).

    The likelihoods are of local refits from the axes of the Dense fit: with k too small they are
    lower bounds, which is all that the choice of k needs.
    """
    fits = _fits_by_k(problem, axes_of)
    return tuple(_point(problem, k, fitted, fits[-1]) for k, fitted in enumerate(fits))


def choose_k(path: Sequence[PathPoint]) -> int:
    """The smallest k that neither held-out rows nor BIC speak against.

    On held-out rows its mean is at most FLOOR + 2 standard errors below that of Dense; on the rows
    fitted, log-likelihood − parameters·log(n)/(2n) is at most FLOOR below. With many rows the two
    agree; with few, a handful of held-out rows alone would not tell.
    """
    enough = (point.k for point in path if _is_enough(point))
    return next(enough, len(path) - 1)


def _is_enough(point: PathPoint) -> bool:
    likely = point.below_dense <= FLOOR + 2 * point.standard_error
    return likely and point.score_gain >= -FLOOR


def path_notes(problem: Problem, path: Sequence[PathPoint], found: Found, k: int) -> list[str]:
    """Signs that the search is stuck, so that the path says little of the number of changes."""
    notes = []
    falls = [p.k for p, q in zip(path[1:], path, strict=False) if _falls(p, q)]
    if falls:
        notes.append(
            f"stuck? the held-out likelihood falls at k = {falls}, where more freedom should not "
            "hurt: raise Options(starts=..., rounds=...) or give more rows."
        )
    if k == problem.m > 1:
        notes.append(
            f"no k below {k} explains the domains: they differ in every mechanism, or the search "
            f"is stuck. {found.agreeing} of {problem.options.starts} starts agreed on the axes; "
            "if these are few, raise Options(starts=..., rounds=...)."
        )
    return notes


def _falls(point: PathPoint, before: PathPoint) -> bool:
    error = 2 * np.hypot(point.standard_error, before.standard_error)
    return bool(before.log_likelihood - point.log_likelihood > FLOOR + error)


def _fits_by_k(problem: Problem, axes_of: Callable[[int], Axes]) -> list[Fitted]:
    """One refit a k; all from the same axes where the axes do not depend on k."""
    axes = [axes_of(k) for k in range(problem.m + 1)]
    if all(a is axes[0] for a in axes):
        return refit(problem, axes[0], best_by_k(problem, axes[0]))
    return [refit(problem, a, [best_by_k(problem, a)[k]])[0] for k, a in enumerate(axes)]


def _point(problem: Problem, k: int, fitted: Fitted, dense: Fitted) -> PathPoint:
    below, error = paired(dense.held_out, fitted.held_out)
    value = mean_over_domains(fitted.held_out) + problem.white.log_det
    return PathPoint(k, value, below, error, score(problem, fitted) - score(problem, dense))
