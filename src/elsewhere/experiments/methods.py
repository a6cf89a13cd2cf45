"""Every method of the simulated experiments on one data set, scored alike."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from elsewhere.baselines import BASELINES, counterfactuals
from elsewhere.datasets import DomainData, simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error, normalised_error
from elsewhere.experiments.cells import Cell
from elsewhere.fitting import FitResult, fit
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.theory import intervention_set

BASELINE_NAMES = ("identity", "mean_variance", "combat", "gaussian_ot")
Answer = Float[np.ndarray, "D D n m"]


def run_cell(cell: Cell, seed: int, *, rows: int, auto: bool) -> Iterator[dict[str, Any]]:
    """A tidy row for every method on one data set: errors, likelihoods, seconds."""
    key = jax.random.key(seed)
    truth_key, data_key, fit_key = jax.random.split(key, 3)
    truth = simulated_truth(
        truth_key, cell.m, cell.num_domains, cell.intervened, bias=cell.bias, mixing=cell.mixing
    )
    data = simulate(data_key, truth, train=rows)
    common = cell.columns() | {
        "seed": seed,
        "rows": rows,
        "true_size": len(intervention_set(truth)),
        "true_log_likelihood": held_out_log_likelihood(truth, data),
    }
    for name, k in _asked(cell, auto):
        yield common | {"method": name} | _fitted(data, lambda k=k: _fit(fit_key, data, k))
    for name in BASELINE_NAMES:
        yield common | {"method": name} | _baseline(data, name)


def held_out_log_likelihood(model: ILD, data: DomainData) -> float:
    """mean over d of mean log p_d on the validation rows, exact, in nats a row."""
    each = [
        np.mean(jax.vmap(lambda x, d=d: model.log_prob(x, d=d))(rows))
        for d, rows in zip(model.domains, data.valid, strict=True)
    ]
    return float(np.mean(each))


def _asked(cell: Cell, auto: bool) -> list[tuple[str, int | str | None]]:
    asked: list[tuple[str, int | str | None]] = [("can", cell.k), ("dense", None)]
    return [*asked, ("auto", "auto")] if auto else asked


def _fit(key: jax.Array, data: DomainData, k: int | str | None) -> FitResult:
    return fit(key, np.asarray(data.train), k=k, valid=np.asarray(data.valid))  # type: ignore[arg-type]


def _fitted(data: DomainData, run: Callable[[], FitResult]) -> dict[str, Any]:
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    inside = _coverage(result, data)
    return _scores(np.asarray(move_all(result.model, data.test)), data) | {
        "k_used": result.k,
        "log_likelihood": held_out_log_likelihood(result.model, data),
        "candidates": len(result.candidates),
        "coverage": inside,
        "seconds": seconds,
    }


def _coverage(result: FitResult, data: DomainData) -> float:
    """How often the true counterfactual lies in the span of the candidates, widened by 0.05 sd."""
    answers = np.stack([np.asarray(move_all(c.model, data.test)) for c in result.candidates])
    slack = 0.05 * np.asarray(data.test).std(axis=(0, 1))
    truth = np.asarray(data.counterfactuals)
    inside = (truth >= answers.min(0) - slack) & (truth <= answers.max(0) + slack)
    off_diagonal = ~np.eye(len(truth), dtype=bool)
    return float(inside[off_diagonal].mean())


def _baseline(data: DomainData, name: str) -> dict[str, Any]:
    start = time.perf_counter()
    fitted = BASELINES[name]().fit(np.asarray(data.train))
    answer = counterfactuals(fitted, np.asarray(data.test))
    return _scores(answer, data) | {"seconds": time.perf_counter() - start}


def _scores(answer: Answer, data: DomainData) -> dict[str, Any]:
    truth = np.asarray(data.counterfactuals)
    return {
        "error": counterfactual_error(answer, truth),
        "normalised_error": normalised_error(answer, truth, np.asarray(data.test)),
    }
