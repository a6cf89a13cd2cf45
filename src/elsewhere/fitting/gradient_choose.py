"""From restarts to a set of models: equally likely ones kept, equal answers merged."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.bijections import pull_and_log_det
from elsewhere.fitting.data import Named
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.model import ILD
from elsewhere.queries import move_rows

FLOOR = 1e-3  # nats per row: differences below it are never taken to mean anything
SAME = 1e-3  # mean squared difference of two answers, in variances, below which they are one
MERGE_ROWS = 500


def row_log_likelihoods(model: ILD, valid: Named) -> list[Float[np.ndarray, " n"]]:
    """log p_d of every held-out row, by domain, in the data's own units."""
    return [_log_probs(model, rows, d) for d, rows in valid.items()]


def mean_and_error(rows: Sequence[Float[np.ndarray, " _"]]) -> tuple[float, float]:
    """The mean over domains of the mean over rows, and its standard error."""
    squares = [r.var(ddof=1) / len(r) if len(r) > 1 else 0.0 for r in rows]
    return float(np.mean([r.mean() for r in rows])), float(np.sqrt(np.sum(squares)) / len(rows))


def choose(
    models: Sequence[ILD], labels: Sequence[str], valid: Named, k: int | None, notes: Sequence[str]
) -> FitResult:
    """Models within 2 standard errors of the paired difference to the best, likeliest first."""
    rows = [row_log_likelihoods(model, valid) for model in models]
    order = sorted(range(len(models)), key=lambda i: -mean_and_error(rows[i])[0])
    best, allowed = order[0], {i: _allowance(rows[order[0]], rows[i]) for i in order}
    near = [i for i in order if _shortfall(rows[best], rows[i]) <= allowed[i]]
    kept = _distinct(models, near, valid)
    value, error = mean_and_error(rows[best])
    return FitResult(
        candidates=tuple(
            _candidate(models[i], labels[i], mean_and_error(rows[i])[0]) for i in kept
        ),
        k=k,
        log_likelihood=value,
        standard_error=error,
        tolerance=max(allowed[i] for i in kept),
        principle="the highest exact held-out log-likelihood among the restarts",
        notes=tuple(notes),
    )


def _candidate(model: ILD, label: str, value: float) -> Candidate:
    return Candidate(model, value, value, label)


def _shortfall(best: list[np.ndarray], rows: list[np.ndarray]) -> float:
    return mean_and_error(best)[0] - mean_and_error(rows)[0]


def _allowance(best: list[np.ndarray], rows: list[np.ndarray]) -> float:
    paired = [a - b for a, b in zip(best, rows, strict=True)]
    return max(FLOOR, 2 * mean_and_error(paired)[1])


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
    return [np.asarray(move_rows(model, heads[d], d=d, d_prime=e)) for d, e in pairs]


def _difference(a: list[np.ndarray], b: list[np.ndarray], valid: Named) -> float:
    sd = np.concatenate(list(valid.values())).std(0)
    return float(np.mean([np.mean(((p - q) / sd) ** 2) for p, q in zip(a, b, strict=True)]))


def _log_probs(model: ILD, rows: Float[np.ndarray, "n m"], d: object) -> np.ndarray:
    z, log_det_g = pull_and_log_det(model.mixing, jnp.asarray(rows, float))
    eps, log_det_f = pull_and_log_det(model.scm(d), z)  # type: ignore[arg-type]
    return np.asarray(jax.scipy.stats.norm.logpdf(eps).sum(-1) + log_det_g + log_det_f)
