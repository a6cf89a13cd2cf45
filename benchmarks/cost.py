"""What do rows, columns, domains and fits cost? Measured here, and a model of cost fitted to them.

python benchmarks/cost.py --out results/benchmarks/cost.json
python benchmarks/cost.py --quick
"""

import argparse
import os
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.estimators import DomainCounterfactual
from report_file import show_and_keep

BASE = {"rows": 10_000, "columns": 10, "domains": 3}
VARIED = {
    "rows": (2_500, 10_000, 40_000, 160_000),
    "columns": (4, 10, 25, 60),
    "domains": (2, 3, 6, 12),
}
QUICK = {"rows": (1_000, 4_000), "columns": (4, 10), "domains": (2, 4)}
MOVED = 262_144  # rows that are moved to time one


def main():
    asked = arguments()
    points = [BASE | {name: n} for name, many in varied(asked.quick).items() for n in many]
    unique = [dict(p) for p in dict.fromkeys(tuple(p.items()) for p in points)]
    measured = [measure(point, asked.repeat) for point in unique]
    report = {
        "load": round(os.getloadavg()[0], 1),
        "points": measured,
        "fit": model_of(measured, "fit_seconds"),
        "move": model_of(measured, "move_seconds"),
    }
    report["plans"] = plans(report)
    show_and_keep(report, asked.out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def varied(quick):
    if quick:
        BASE.update({name: many[0] for name, many in QUICK.items()})
    return QUICK if quick else VARIED


def draw(rows, columns, domains):
    """Rows per domain with offsets, scales and a factor that all columns share."""
    rng = np.random.default_rng(0)
    common = rng.normal(size=(rows * domains, 1))
    x = rng.normal(size=(rows * domains, columns)) + 0.5 * common
    site = np.repeat(np.arange(domains), rows)
    x = x * (1 + 0.1 * site[:, None]) + 0.3 * site[:, None] * rng.normal(size=columns)
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(columns)])
    return frame.assign(site=[f"d{d}" for d in site])


def measure(point, repeat):
    """The fastest of some fits by moments, and of some moves of as many rows as in a batch."""
    frame = draw(**point)
    X, site = frame.drop(columns="site"), frame["site"]
    fit, estimator = fastest(lambda: DomainCounterfactual(mixing="moments").fit(X, site), repeat)
    rows = frame.sample(MOVED, replace=True, random_state=0)
    batch = pa.RecordBatch.from_pandas(rows, preserve_index=False)
    move = estimator.mover("d0")
    parts = [batch.slice(start, 65_536) for start in range(0, MOVED, 65_536)]
    moved, _ = fastest(lambda: [move(part) for part in parts], repeat)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return point | {
        "fit_seconds": round(fit, 4),
        "move_seconds": round(moved / MOVED * 1e6, 4),  # per million rows
        "peak_mib": round(peak),
    }


def fastest(work, repeat):
    """The fewest seconds of all cores together, which other processes hardly change."""
    best, found = np.inf, None
    for _ in range(repeat):
        start = time.process_time()
        found = work()
        best = min(best, time.process_time() - start)
    return best, found


def model_of(points, name):
    """log seconds = a + Σ b_j log(size_j), by least squares; and the largest factor it is off."""
    sizes = ("rows", "columns", "domains")
    A = np.array([[1.0, *(np.log(p[s]) for s in sizes)] for p in points])
    y = np.log([p[name] for p in points])
    found = np.linalg.lstsq(A, y, rcond=None)[0]
    off = float(np.exp(np.abs(A @ found - y).max()))
    powers = dict(zip(sizes, found[1:].round(3).tolist(), strict=True))
    return {"constant": float(np.exp(found[0])), "powers": powers, "off_by_at_most": round(off, 2)}


def seconds(model, **sizes):
    powers = model["powers"]
    return model["constant"] * float(np.prod([sizes[name] ** powers[name] for name in powers]))


def plans(report):
    """A billion rows moved, and 100,000 fits, on nodes like this one."""
    cores = os.cpu_count()
    billion = 1000 * seconds(report["move"], **BASE)
    one = seconds(report["fit"], **BASE)
    return {
        "move_1e9_rows_core_hours": round(billion / 3600, 2),
        "fit_1e5_times_core_hours": round(1e5 * one / 3600, 1),
        "fit_1e5_times_hours_on_10_nodes": round(1e5 * one / 3600 / (10 * cores), 2),
    }


if __name__ == "__main__":
    main()
