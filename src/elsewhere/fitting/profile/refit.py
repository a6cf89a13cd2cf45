"""Orderings refitted as models, with own and with shared noise scales, and their exact scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.axes.climb import Stack, settle
from elsewhere.fitting.profile.candidates import candidate_orderings
from elsewhere.fitting.profile.likelihood import mean_at_best, row_log_likelihoods
from elsewhere.fitting.profile.moments import Axes, LatentMoments, closed_form
from elsewhere.fitting.profile.orders.classes import kinds_of
from elsewhere.fitting.profile.orders.orderings import Ordering
from elsewhere.fitting.profile.problem import Problem

REFIT, LAST, POLISH = (0.03, 0.02), (0.02, 0.01), (0.01,)


@dataclass(frozen=True)
class Fitted:
    """Axes in causal order, the mechanisms and their kinds, and the exact likelihoods per row.

    `train` is the mean over all rows fitted; `held_out` lists the rows held out, by domain.
    Both are in whitened coordinates.
    """

    ordering: Ordering
    axes: Axes
    kinds: Int[np.ndarray, " m"]
    mechanisms: Mechanisms
    train: float
    held_out: list[Float[np.ndarray, " _"]]


def refit(problem: Problem, axes: Sequence[Axes], orderings: Sequence[Ordering]) -> list[Fitted]:
    """Each ordering's own best axes, from those given, with the domains' own noise scales."""
    starts = np.stack([a[list(o.order)] for a, o in zip(axes, orderings, strict=True)])
    kinds = np.stack([kinds_of(ordering) for ordering in orderings])
    if (kinds == OWN).all():  # Dense: all orders are equally likely in the same axes
        (best,) = _settle(problem, axes[0][None], kinds[:1], REFIT)
        moments = problem.moments(best)
        return [
            _fitted(problem, o, best[list(o.order)], kinds[0], moments.reordered(o.order))
            for o in orderings
        ]
    return _refined(problem, orderings, starts, kinds)


def refit_sharing(problem: Problem, axes: Axes, k: int) -> Axes:
    """The axes of the likeliest of a few orders that share all but k mechanisms, refitted.

    Only there do all orders show what they cost: one that is a little wrong bends the axes its way.
    """
    orderings = candidate_orderings(problem, axes, k)[: problem.options.parents]
    fits = refit(problem, [axes] * len(orderings), orderings)
    return max(fits, key=lambda fitted: fitted.train).axes


def share_scales(problem: Problem, fits: Sequence[Fitted]) -> list[Fitted]:
    """The fits with one noise scale for all domains in each changed mechanism."""
    orderings = [fitted.ordering for fitted in fits]
    kinds = np.stack([fitted.kinds for fitted in fits])
    starts = np.stack([fitted.axes for fitted in fits])
    return _refined(problem, orderings, starts, np.where(kinds == OWN, OWN_BUT_SCALE, kinds))


def with_axes(problem: Problem, fitted: Fitted, axes: Axes) -> Fitted:
    """The same order and kinds of mechanisms in other axes."""
    return _fitted(problem, fitted.ordering, axes, fitted.kinds)


def polish(problem: Problem, fitted: Fitted) -> Fitted:
    """The fit after more steps on more rows, where that helps its exact likelihood on all."""
    stack, kinds, options = fitted.axes[None], fitted.kinds[None], problem.options
    if problem.rows.longest <= problem.share(options.refit_rows):  # all are in use already
        stack = _settle(problem, stack, kinds, LAST)
    else:
        rows = problem.some(options.polish_rows)
        stack = settle(stack, rows, kinds, problem.kink, POLISH, options.polish_steps)
    polished = _fitted(problem, fitted.ordering, stack[0], fitted.kinds)
    return max(polished, fitted, key=lambda candidate: candidate.train)


def sharing_loss(problem: Problem, axes: Axes, fits: Sequence[Fitted]) -> float:
    """How many nats per row the best of the fits is below Dense in these axes."""
    free = _fitted(problem, fits[0].ordering, axes, np.full(len(axes), OWN))
    return max(0.0, free.train - max(fitted.train for fitted in fits))


def count_parameters(kinds: Int[np.ndarray, " m"], num_domains: int) -> int:
    """Mechanism j has j weights, a bias and a scale: once if shared, else in each domain."""
    weights_and_bias = np.arange(len(kinds)) + 1
    copies = np.where(kinds == SHARED, 1, num_domains)
    scales = np.where(kinds == OWN, num_domains, 1)
    return int((weights_and_bias * copies + scales).sum())


def _refined(
    problem: Problem, orderings: Sequence[Ordering], starts: Stack, kinds: Int[np.ndarray, "R m"]
) -> list[Fitted]:
    parts = zip(orderings, _settle(problem, starts, kinds, REFIT), kinds, strict=True)
    return [_fitted(problem, *part) for part in parts]


def _fitted(
    problem: Problem,
    ordering: Ordering,
    axes: Axes,
    kinds: Int[np.ndarray, " m"],
    moments: LatentMoments | None = None,
) -> Fitted:
    moments = moments or problem.moments(axes)
    mechanisms = closed_form(moments, kinds)
    train = mean_at_best(axes, mechanisms, moments, problem.slope)
    held_out = row_log_likelihoods(axes, mechanisms, problem.valid, problem.slope)
    return Fitted(ordering, axes, kinds, mechanisms, train, held_out)


def _settle(
    problem: Problem, stack: Stack, kinds: Int[np.ndarray, "R m"], widths: tuple[float, ...]
) -> Stack:
    rows = problem.some(problem.options.refit_rows)
    return settle(stack, rows, kinds, problem.kink, widths, problem.options.steps)
