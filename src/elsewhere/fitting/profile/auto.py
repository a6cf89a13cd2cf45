"""How many mechanisms change, read off held-out rows."""

from collections.abc import Callable, Sequence

import numpy as np

from elsewhere.fitting.profile.axes.search import Found
from elsewhere.fitting.profile.candidates import cheapest_ordering
from elsewhere.fitting.profile.choose import score
from elsewhere.fitting.profile.likelihood import mean_over_domains, paired
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.profile.refit import Fitted, refit
from elsewhere.fitting.result import PathPoint

LEAST_SHORTFALL = 0.003  # nats per row: a shortfall from Dense that optimisation alone can bring


def sparsity_path(
    problem: Problem, axes_of: Callable[[int], Axes], sharing_axes_of: Callable[[int], Axes]
) -> tuple[PathPoint, ...]:
    """Held-out log-likelihood for k = 0..m, with its paired difference to Dense (k = m).

    Each is refitted from the axes for that k. Where Dense hardly sees a kink, no sparse k shares
    well in its axes: one less than the k chosen is therefore tried in axes sought for sharing.
    With k too small the likelihoods are lower bounds, which is all that the choice of k needs.
    """
    fits = _fits_by_k(problem, [axes_of(k) for k in range(problem.m + 1)])
    path = [_point(problem, k, fitted, fits[-1]) for k, fitted in enumerate(fits)]
    while (k := choose_k(path) - 1) > 0:
        axes = sharing_axes_of(k)
        (fitted,) = refit(problem, [axes], [cheapest_ordering(problem, axes, k)])
        path[k] = max(path[k], _point(problem, k, fitted, fits[-1]), key=_likelihood)
        if choose_k(path) > k:
            break
    return tuple(path)


def choose_k(path: Sequence[PathPoint]) -> int:
    """The smallest k that neither held-out rows nor BIC contradict.

    On held-out rows its mean is at most LEAST_SHORTFALL + 2 standard errors below that of Dense; on
    the rows fitted, log-likelihood − parameters·log(n)/(2n) is at most LEAST_SHORTFALL below the
    best of the path. With many rows the two agree; with few, a handful of held-out rows alone would
    not tell.
    """
    best = max(point.score_gain for point in path)
    enough = (p.k for p in path if _is_likely(p) and p.score_gain >= best - LEAST_SHORTFALL)
    return next(enough, len(path) - 1)


def _is_likely(point: PathPoint) -> bool:
    return point.below_dense <= LEAST_SHORTFALL + 2 * point.standard_error


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
    return bool(before.log_likelihood - point.log_likelihood > LEAST_SHORTFALL + error)


def _fits_by_k(problem: Problem, axes: Sequence[Axes]) -> list[Fitted]:
    return refit(problem, axes, [cheapest_ordering(problem, a, k) for k, a in enumerate(axes)])


def _likelihood(point: PathPoint) -> float:
    return point.log_likelihood


def _point(problem: Problem, k: int, fitted: Fitted, dense: Fitted) -> PathPoint:
    below, error = paired(dense.held_out, fitted.held_out)
    value = mean_over_domains(fitted.held_out) + problem.white.log_det
    return PathPoint(k, value, below, error, score(problem, fitted) - score(problem, dense))
