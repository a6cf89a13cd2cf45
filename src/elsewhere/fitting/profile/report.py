"""The result of a fit: models in the user's units, and warnings about them."""

from collections.abc import Sequence
from math import factorial

import numpy as np

from elsewhere.fitting.kinds import OWN_BUT_SCALE, SHARED
from elsewhere.fitting.profile.candidates import suspicious_loss
from elsewhere.fitting.profile.choose import PRINCIPLE, Choice
from elsewhere.fitting.profile.decorrelated import decorrelated
from elsewhere.fitting.profile.likelihood import mean_over_domains, standard_error
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.profile.refit import Fitted
from elsewhere.fitting.profile.whitening import assemble
from elsewhere.fitting.result import Candidate, FitResult, PathPoint
from elsewhere.fitting.split import FitError


def make_result(
    problem: Problem,
    preferred: Fitted,
    choices: Sequence[Choice],
    k: int | None,
    notes: tuple[str, ...],
    path: tuple[PathPoint, ...],
) -> FitResult:
    """The candidates as models, the preferred one in its polished form."""
    fits = [preferred, *(choice.fitted for choice in choices[1:])]
    candidates = tuple(
        candidate(problem, fitted, choice.score)
        for fitted, choice in zip(fits, choices, strict=True)
    )
    return FitResult(
        candidates=candidates,
        k=k,
        log_likelihood=candidates[0].log_likelihood,
        standard_error=standard_error(preferred.held_out),
        tolerance=max(choice.tolerance for choice in choices),
        principle=PRINCIPLE,
        notes=notes,
        path=path,
    )


def candidate(problem: Problem, fitted: Fitted, score: float) -> Candidate:
    """The model in the user's units, with its exact held-out log-likelihood there."""
    value = mean_over_domains(fitted.held_out) + problem.white.log_det
    if not np.isfinite(value):
        raise FitError(
            "the fit is not finite on the held-out rows: some lie far outside the rows fitted. "
            "Look for outliers in valid, or leave it out."
        )
    axes, mechanisms = fitted.axes, fitted.mechanisms
    if problem.slope == 1:  # whose axes may be all but parallel
        axes, mechanisms = decorrelated(problem, axes, mechanisms)
    model = assemble(axes, mechanisms, problem.white, problem.slope, problem.domains)
    return Candidate(model, value, score + problem.white.log_det, describe(fitted))


def describe(fitted: Fitted) -> str:
    """Which mechanisms differ, by their place in the model, and which axes these are."""
    changed = np.flatnonzero(fitted.kinds != SHARED).tolist()
    scales = "one noise scale for all" if OWN_BUT_SCALE in fitted.kinds else "own noise scales"
    axes = " ".join(map(str, fitted.ordering.order))
    if not changed:
        return f"no mechanism differs; axes in the order {axes}"
    return f"mechanisms {changed} differ ({scales}); axes in the order {axes}"


def search_notes(problem: Problem, loss: float, k: int, *, dense: bool) -> tuple[str, ...]:
    """What a reader must know: the loss of sharing all but k mechanisms, and what is convention."""
    notes = []
    if loss > suspicious_loss(problem, k):
        notes.append(
            f"sharing all but {k} mechanisms costs {loss:.3f} nats per row in the best axes found: "
            f"the domains may differ in more than {k} mechanisms, or the search is stuck. Compare "
            "a larger k, or raise Options(starts=..., rounds=...)."
        )
    if dense and problem.m > 1:
        notes.append(_dense_note(problem))
    if problem.slope == 1 and k > 1:
        notes.append(_LINEAR)
    return tuple(notes)


def tie_notes(choices: Sequence[Choice]) -> tuple[str, ...]:
    """A warning where the data cannot distinguish orders of the same changed variables."""
    alike = [choice for choice in choices if choice.score == choices[0].score]
    if len(alike) < 2 or OWN_BUT_SCALE in choices[0].fitted.kinds:
        return ()
    return (
        f"noise scales differ between domains, so the data cannot distinguish {len(alike)} orders "
        "of the changed mechanisms, and the preferred one is hardly more than a guess: their "
        "consensus is the safer answer, and the spread shows how far they differ.",
    )


_LINEAR = (
    "linear mixing: any basis of the changing block explains the data as well, so counterfactuals "
    "inside it are a matter of convention; the candidates are the orders of one basis, its "
    "principal directions of change."
)


def _dense_note(problem: Problem) -> str:
    return (
        f"Dense: all {factorial(problem.m)} orders of the latents explain the data alike, with "
        f"different counterfactuals; at most {problem.options.classes} are listed."
    )
