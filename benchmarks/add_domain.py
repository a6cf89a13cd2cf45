"""Does a domain added later come as close as a fit of all domains, and how much sooner?

python benchmarks/add_domain.py --seeds 0-9 --domains 5 --rows 20000 --json out.json

Fits on all domains but the last, adds the last, and compares with a fit on all. The time of the
first addition of a run holds its compilation; the fits have compiled before. Errors are over the
pairs with the new domain, and over all pairs.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import jax
import numpy as np

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import fit
from elsewhere.fitting.refine.add_domain import add_domain
from elsewhere.queries import move_all
from seeds import seed_range


@dataclass(frozen=True)
class Row:
    """Mean squared errors and seconds of the added domain and of the fit of all."""

    seed: int
    added: float
    refitted: float
    added_all: float
    refitted_all: float
    seconds_added: float
    seconds_refitted: float
    notes: tuple[str, ...]


def main():
    choices = arguments()
    rows = [show(measure(seed, choices)) for seed in choices.seeds]
    report = {"settings": vars(choices) | {"json": None}, "summary": summarise(rows)}
    print(json.dumps(report["summary"]))
    if choices.json:
        report["rows"] = [asdict(row) for row in rows]
        choices.json.write_text(json.dumps(report, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seed_range, default=list(range(10)))
    parser.add_argument("--m", type=int, default=6)
    parser.add_argument("--domains", type=int, default=5, help="with the added one")
    parser.add_argument("--rows", type=int, default=20_000, help="a domain")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measure(seed, choices):
    truth_key, data_key, fit_key = jax.random.split(jax.random.key(seed), 3)
    m = choices.m
    truth = simulated_truth(truth_key, m, choices.domains, {m - 2, m - 1})
    data = simulate(data_key, truth, train=choices.rows)
    train = {d: np.asarray(x) for d, x in enumerate(data.train)}
    new = choices.domains - 1
    before = fit(fit_key, {d: x for d, x in train.items() if d != new}, k=2, engine="leaky")
    fit(fit_key, train, k=2, engine="leaky") if seed == choices.seeds[0] else None  # compile
    start = time.perf_counter()
    refitted = fit(fit_key, train, k=2, engine="leaky")
    middle = time.perf_counter()
    added = add_domain(before, new, train[new])
    end = time.perf_counter()
    errors = [squares(result.model, data) for result in (added, refitted)]
    some = [error[involving(new, len(train))].mean() for error in errors]
    every = [error[~np.eye(len(train), dtype=bool)].mean() for error in errors]
    return Row(seed, *map(float, some + every), end - middle, middle - start, added.notes)


def squares(model, data):
    """Mean squared error at [d, d']."""
    answers, truth = np.asarray(move_all(model, data.test)), np.asarray(data.counterfactuals)
    return ((answers - truth) ** 2).mean(axis=(2, 3))


def involving(new, count):
    here = np.arange(count) == new
    return here[:, None] ^ here


def show(row):
    print(
        f"seed {row.seed:3d}  added {row.added:.6f}  refitted {row.refitted:.6f}  all pairs: "
        f"{row.added_all:.6f} {row.refitted_all:.6f}  {row.seconds_added:.3f} s of "
        f"{row.seconds_refitted:.2f} s  {' | '.join(row.notes)}",
        flush=True,
    )
    return row


def summarise(rows):
    column = {
        name: np.array([getattr(r, name) for r in rows])
        for name in Row.__annotations__
        if name not in ("seed", "notes")
    }
    ratio = column["added"] / column["refitted"]
    return {
        "added_mean": column["added"].mean(),
        "refitted_mean": column["refitted"].mean(),
        "error_ratio_of_means": column["added"].mean() / column["refitted"].mean(),
        "error_ratio_median": float(np.median(ratio)),
        "error_ratio_all_pairs": column["added_all"].mean() / column["refitted_all"].mean(),
        "time_ratio": column["seconds_added"].sum() / column["seconds_refitted"].sum(),
        "worst_time_ratio": float((column["seconds_added"] / column["seconds_refitted"]).max()),
    }


if __name__ == "__main__":
    main()
