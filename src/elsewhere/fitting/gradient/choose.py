"""From restarts to a set of models: equally likely ones kept, equal answers merged."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.likelihood import (
    held_out_rows,
    mean_over_domains,
    paired,
    standard_error,
)
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import Named
from elsewhere.model import ILD

LEAST_DIFFERENCE = 1e-3  # nats per row: smaller ones are never taken to mean anything
SAME = 1e-3  # mean squared difference of two answers, in variances, below which they are one
MERGE_ROWS = 500


def choose(
    models: Sequence[ILD], labels: Sequence[str], valid: Named, k: int | None, notes: Sequence[str]
) -> FitResult:
    """Models within 2 standard errors of the paired difference to the best, likeliest first."""
    rows = [held_out_rows(model, valid) for model in models]
    order = sorted(range(len(models)), key=lambda i: -mean_over_domains(rows[i]))
    best, allowed = order[0], {i: _allowance(rows[order[0]], rows[i]) for i in order}
    near = [i for i in order if _shortfall(rows[best], rows[i]) <= allowed[i]]
    kept = _distinct(models, near, valid)
    return FitResult(
        candidates=tuple(
            _candidate(models[i], labels[i], mean_over_domains(rows[i])) for i in kept
        ),
        k=k,
        log_likelihood=mean_over_domains(rows[best]),
        standard_error=standard_error(rows[best]),
        tolerance=max(allowed[i] for i in kept),
        principle="the highest exact held-out log-likelihood among the restarts",
        notes=tuple(notes),
    )


def _candidate(model: ILD, label: str, value: float) -> Candidate:
    return Candidate(model, value, value, label)


def _shortfall(best: list[np.ndarray], rows: list[np.ndarray]) -> float:
    return paired(best, rows)[0]


def _allowance(best: list[np.ndarray], rows: list[np.ndarray]) -> float:
    return max(LEAST_DIFFERENCE, 2 * paired(best, rows)[1])


def _distinct(models: Sequence[ILD], order: Sequence[int], valid: Named) -> list[int]:
    answers = {i: _answers(models[i], valid) for i in order}
    kept: list[int] = []
    for i in order:
        if all(_difference(answers[i], answers[j], valid) >= SAME for j in kept):
            kept.append(i)
    return kept


def _answers(model: ILD, valid: Named) -> list[Float[np.ndarray, "n m"]]:
    heads = {d: jnp.asarray(rows[:MERGE_ROWS], float) for d, rows in valid.items()}
    pairs = [(d, e) for d in valid for e in valid if d != e]
    return [np.asarray(model.move(heads[d], d=d, d_prime=e)) for d, e in pairs]


def _difference(a: list[np.ndarray], b: list[np.ndarray], valid: Named) -> float:
    sd = np.concatenate(list(valid.values())).std(0)
    return float(np.mean([np.mean(((p - q) / sd) ** 2) for p, q in zip(a, b, strict=True)]))
