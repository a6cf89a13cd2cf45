"""How often does k="auto" pick the number of changed mechanisms, and how often is the truth inside?

python benchmarks/choose_k.py --seeds 0-9 --bias sparse printed

S2's setting: m = 6, three domains, I* = {5, 6}. `inside` is the share of all coordinates of all
true counterfactuals in the span of the candidates, widened by 0.05 standard deviations.
"""

import argparse
import json
from functools import partial
from pathlib import Path

import numpy as np

from elsewhere.experiments.cells import Setting
from elsewhere.experiments.methods import Method, run_methods
from seeds import seed_range

AUTO = Method("auto", "auto")


def main():
    choices = arguments()
    measured = partial(measure, rows=choices.rows)
    found = {b: [show(measured(b, seed)) for seed in choices.seeds] for b in choices.bias}
    for bias, rows in found.items():
        print(bias, summary(rows))
    if choices.json:
        choices.json.write_text(json.dumps(found, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seed_range, default=range(10), help="e.g. 0-9")
    parser.add_argument("--bias", nargs="+", default=["sparse", "printed"])
    parser.add_argument("--rows", type=int, default=100_000, help="training rows per domain")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measure(bias, seed, rows):
    ((_, row),) = run_methods(Setting(6, 3, (4, 5), bias), seed, rows, [AUTO])
    row["gap"] = row["true_log_likelihood"] - row["log_likelihood"]
    return row


def show(row):
    numbers = f"k {row['k_used']} (truth {row['true_size']})  gap {row['gap']:7.4f}"
    errors = (
        f"error {row['error']:.6f}  inside {row['coverage']:.3f}  candidates {row['candidates']}"
    )
    print(f"{row['bias']} seed {row['seed']:3d}  {numbers}  {errors}  {row['notes']}", flush=True)
    return row


def summary(rows):
    right = sum(row["k_used"] == row["true_size"] for row in rows)
    inside, gap = np.mean([row["coverage"] for row in rows]), max(row["gap"] for row in rows)
    return f"{right} of {len(rows)} picked |I|; worst gap {gap:.4f}; truth inside {inside:.3f}"


if __name__ == "__main__":
    main()
