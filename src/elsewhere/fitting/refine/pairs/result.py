"""From models refined on pairs to a result: the likeliest first, equal answers merged."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.likelihood import (
    mean_over_domains,
    row_log_likelihoods,
    standard_error,
)
from elsewhere.fitting.profile.orders.classes import NEAR
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.profile.whitening import assemble
from elsewhere.fitting.refine.pairs.choose import NOISES, Belief
from elsewhere.fitting.refine.pairs.objective import PackedPairs
from elsewhere.fitting.refine.pairs.paired_rows import PairedRows
from elsewhere.fitting.refine.pairs.start import Start
from elsewhere.fitting.result import Candidate, FitResult

ODDS = 3.0  # nats in all: candidates this much less likely than the best are dropped
COMPARED = 200  # rows of each domain on which answers are compared
PRINCIPLE = (
    "the highest joint log-likelihood of the rows and of the pairs, which are believed as far as "
    "pairs left out are predicted better for it"
)


def as_it_was(
    result: FitResult, paired: PairedRows, candidates: Sequence[Start], belief: Belief
) -> FitResult:
    """The unpaired candidates; likeliest with the pairs first, where the pairs may pick."""
    notes = (*result.notes, note(paired, belief))
    if not belief.picked:
        return replace(result, notes=notes)
    values = paired.values(candidates, paired.evidence(NOISES[0]))
    kept = tuple(
        replace(result.candidates[i], preference=float(values[i] + paired.problem.white.log_det))
        for i in _likely(paired, values)
    )
    best = kept[0].log_likelihood
    chosen = replace(result, candidates=kept, log_likelihood=best, principle=PRINCIPLE)
    return replace(chosen, notes=notes, signs_known=True)


def refined(
    result: FitResult, paired: PairedRows, starts: Sequence[Start], belief: Belief, noise: float
) -> FitResult:
    """Every start refined with the noise believed in; those as likely as the best are kept."""
    ends, values = paired.climb(starts, [paired.evidence(noise)] * len(starts))
    kept = _distinct(paired, ends, _likely(paired, values))
    candidates = tuple(_candidate(paired, ends[i], values[i]) for i in kept)
    return replace(
        result,
        candidates=candidates,
        log_likelihood=candidates[0].log_likelihood,
        standard_error=standard_error(_held_out(paired.problem, ends[kept[0]])),
        tolerance=ODDS / paired.problem.effective_rows,
        principle=PRINCIPLE,
        notes=(*result.notes, note(paired, belief)),
        signs_known=True,
    )


def note(paired: PairedRows, belief: Belief) -> str:
    """What the pairs did, and what it is worth on pairs left out."""
    count = paired.count
    if not belief.errors:
        return f"{count} pair picked among the candidates; two or more could refine them."
    before, after = belief.errors["as it was"], belief.errors[belief.chosen]
    errors = (
        f"mean squared error on pairs left out {after:.4g}, before {before:.4g} (in within-domain "
        "variances)"
    )
    if belief.noise is not None:
        return f"refined on {count} pairs: {errors}."
    if belief.picked:
        return f"{count} pairs picked among the candidates: {errors}."
    return f"{count} pairs left the fit as it was: nothing predicted pairs left out better."


def _likely(paired: PairedRows, values: Float[np.ndarray, " R"]) -> list[int]:
    """Best first, those within ODDS nats of it."""
    least = values.max() - ODDS / paired.problem.effective_rows
    return [int(i) for i in np.argsort(-values, kind="stable") if values[i] >= least]


def _distinct(paired: PairedRows, ends: Sequence[Start], order: Sequence[int]) -> list[int]:
    """The first of those with the same answers."""
    moves = every_move(paired.problem)
    answers = {i: paired.moved(ends[i], moves) for i in order}
    kept: list[int] = []
    for i in order:
        if all(((answers[i] - answers[j]) ** 2).mean() > NEAR for j in kept):
            kept.append(i)
    return kept


def every_move(problem: Problem) -> PackedPairs:
    """Held-out rows of every domain, to be moved to every other."""
    pairs = list(permutations(range(len(problem.valid)), 2))
    rows = [problem.valid[d][:COMPARED] for d, _ in pairs]
    each = np.repeat(pairs, [len(part) for part in rows], axis=0)
    source, target = np.moveaxis(np.eye(len(problem.valid))[each], 1, 0)
    y = np.concatenate(rows)
    parts = (source, target, y, np.zeros_like(y), np.linalg.inv(problem.white.matrix))
    return PackedPairs(*(jnp.asarray(part, jnp.float32) for part in parts))


def _held_out(problem: Problem, end: Start) -> list[Float[np.ndarray, " _"]]:
    return row_log_likelihoods(end.axes, end.mechanisms, problem.valid, problem.slope)


def _candidate(paired: PairedRows, end: Start, value: float) -> Candidate:
    problem = paired.problem
    likelihood = mean_over_domains(_held_out(problem, end)) + problem.white.log_det
    model = assemble(end.axes, end.mechanisms, problem.white, problem.slope, problem.domains)
    words = f"{end.origin.description}; refined on {paired.count} pairs"
    return Candidate(model, likelihood, float(value + problem.white.log_det), words)
