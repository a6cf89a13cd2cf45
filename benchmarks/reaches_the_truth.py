"""Does a fit reach the truth? Likelihood gap and counterfactual error on simulated data.

python benchmarks/reaches_the_truth.py --seeds 0-9 --intervened 5,6 --bias printed --json out.json
"""

import argparse
import json
import os
import platform
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import jax
import numpy as np

from elsewhere.baselines import GaussianOT, counterfactuals
from elsewhere.datasets import DomainData, simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error
from elsewhere.fitting import FitResult, fit
from elsewhere.model import ILD
from elsewhere.queries import move_all

PACKAGES = ("elsewhere", "jax", "jaxlib", "equinox", "flowjax", "numpy")


@dataclass(frozen=True)
class Row:
    """One data set: nats per row below the truth on validation rows, errors, time to fit."""

    seed: int
    gap: float
    error: float
    gaussian_ot: float
    best_candidate: float
    candidates: int
    k: int | None
    seconds: float
    cpu_seconds: float
    notes: tuple[str, ...]


def main():
    started, choices = time.perf_counter(), arguments()
    rows = [show(measure(seed, choices)) for seed in choices.seeds]
    summary = summarise(rows, time.perf_counter() - started)
    print("  ".join(f"{name} {value:.6g}" for name, value in summary.items()), flush=True)
    if choices.json:
        settings = {name: value for name, value in vars(choices).items() if name != "json"}
        report = {"settings": settings, "summary": summary, "machine": machine()}
        report["rows"] = [asdict(row) for row in rows]
        choices.json.write_text(json.dumps(report, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seed_range, default=range(10), help="e.g. 0-9 or 3,4")
    parser.add_argument("--intervened", type=numbers, default=[5, 6], help="counted from 1")
    parser.add_argument("--bias", choices=["printed", "sparse"], default="printed")
    parser.add_argument("--m", type=int, default=6)
    parser.add_argument("--domains", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000, help="training rows per domain")
    parser.add_argument("--k", default=None, help="default: as many as are intervened; or 'auto'")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def numbers(text):
    return [int(part) for part in text.split(",")]


def seed_range(text):
    if "-" not in text:
        return numbers(text)
    first, last = map(int, text.split("-"))
    return list(range(first, last + 1))


def measure(seed, choices):
    truth_key, data_key, fit_key = jax.random.split(jax.random.key(seed), 3)
    intervened = [j - 1 for j in choices.intervened]
    truth = simulated_truth(truth_key, choices.m, choices.domains, intervened, bias=choices.bias)
    data = simulate(data_key, truth, train=choices.rows)
    train, valid = np.asarray(data.train), np.asarray(data.valid)
    k = choices.k if choices.k == "auto" else int(choices.k or len(intervened))
    wall, cpu = time.perf_counter(), time.process_time()
    result = fit(fit_key, train, k=k, engine="leaky", valid=valid)
    times = time.perf_counter() - wall, time.process_time() - cpu
    return row_of(seed, data, result, *times)


def row_of(seed: int, data: DomainData, result: FitResult, seconds: float, cpu: float) -> Row:
    errors = [error(candidate.model, data) for candidate in result.candidates]
    transport = counterfactuals(GaussianOT().fit(np.asarray(data.train)), data.test)
    return Row(
        seed=seed,
        gap=log_likelihood(data.truth, data.valid) - result.log_likelihood,
        error=errors[0],
        gaussian_ot=counterfactual_error(transport, data.counterfactuals),
        best_candidate=min(errors),
        candidates=len(errors),
        k=result.k,
        seconds=seconds,
        cpu_seconds=cpu,
        notes=result.notes,
    )


def error(model: ILD, data: DomainData) -> float:
    answers = np.asarray(move_all(model, data.test))
    return counterfactual_error(answers, np.asarray(data.counterfactuals))


def log_likelihood(model: ILD, x) -> float:
    values = [jax.vmap(lambda row, d=d: model.log_prob(row, d=d))(x[d]) for d in model.domains]
    return float(np.mean([np.asarray(v, float).mean() for v in values]))


def show(row: Row) -> Row:
    print(
        f"seed {row.seed:3d}  gap {row.gap:8.4f}  error {row.error:.6f}  "
        f"Gaussian OT {row.gaussian_ot:.4f}  {row.seconds:5.1f} s (cpu {row.cpu_seconds:.1f})  "
        f"k {row.k}  best of {row.candidates}: {row.best_candidate:.6f}  {' | '.join(row.notes)}",
        flush=True,
    )
    return row


def summarise(rows: list[Row], total: float) -> dict[str, float]:
    errors, transport = (np.array([getattr(r, n) for r in rows]) for n in ("error", "gaussian_ot"))
    return {
        "mean": errors.mean(),
        "median": float(np.median(errors)),
        "max": errors.max(),
        "worst_gap": max(row.gap for row in rows),
        "gaussian_ot_mean": transport.mean(),
        "ratio_to_gaussian_ot": errors.mean() / transport.mean(),
        "fit_seconds": sum(row.seconds for row in rows),
        "fit_cpu_seconds": sum(row.cpu_seconds for row in rows),
        "total_seconds": total,
    }


def machine() -> dict[str, object]:
    return {
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }


if __name__ == "__main__":
    main()
