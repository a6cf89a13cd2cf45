"""Are the paper's simulations still as good as the results that are kept?

elsewhere reproduce S1 S2 S3 S4 S5 S6 --seeds 0-0 --data sparse --out again
python benchmarks/simulations_again.py again --out results/benchmarks/simulations_again.json

Can's mean error in every cell, over the data sets that both the folder and `results/` have, now and
before; the bar: not more than doubled, and below every baseline's. Errors below FLOOR count as
FLOOR: they are those of chance in 100,000 rows.
"""

import argparse
import json
import sys
from pathlib import Path

import pandas as pd

from elsewhere.experiments.provenance import provenance

CELL = ["experiment", "num_domains", "m", "at"]
SET = [*CELL, "seed"]
BASELINES = ("identity", "mean_variance", "combat", "gaussian_ot")
MOST, FLOOR = 2.0, 1e-6


def main():
    choices = arguments()
    now, before = (errors(folder) for folder in (choices.folders, [choices.before]))
    both = now.join(before["can"].rename("before"), how="inner")
    cells = [summary(place, cell) for place, cell in both.groupby(CELL, sort=False)]
    for cell in cells:
        show(cell)
    print(
        f"{sum(cell['holds'] for cell in cells)} of {len(cells)} cells hold, {len(both)} data sets"
    )
    if choices.out:
        seeds = sorted(set(map(int, both.reset_index()["seed"])))
        made_by = provenance(" ".join(["python", *sys.argv]), seeds)
        choices.out.write_text(json.dumps({"made_by": made_by, "cells": cells}, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="what `reproduce --out` wrote")
    parser.add_argument("--before", type=Path, default=Path("results"))
    parser.add_argument("--quick", action="store_true", help="the kept results against themselves")
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    if choices.quick:
        choices.folders = [choices.before]
    return choices


def errors(folders):
    """The error of every method, a line per data set."""
    files = [file for folder in folders for file in sorted(folder.glob("S[1-6]/rows.csv"))]
    frame = pd.concat([pd.read_csv(file) for file in files])
    frame = frame[frame["bias"] == "sparse"]
    return frame.pivot_table(index=SET, columns="method", values="error", sort=False)


def summary(place, cell):
    means = cell.mean()
    ratio = max(means["can"], FLOOR) / max(means["before"], FLOOR)
    best = min(float(means[name]) for name in BASELINES)
    return {
        **dict(zip(CELL, map(str, place), strict=True)),
        "seeds": len(cell),
        "now": float(means["can"]),
        "before": float(means["before"]),
        "ratio": float(ratio),
        "best_baseline": best,
        "holds": bool(ratio <= MOST and means["can"] < best),
    }


def show(cell):
    where = (
        f"{cell['experiment']:4}{cell['num_domains']:>3} domains  m {cell['m']:>2}  {cell['at']:14}"
    )
    print(
        f"{where}{cell['seeds']:3} seeds  before {cell['before']:.2g}  now {cell['now']:.2g}  "
        f"ratio {cell['ratio']:.2f}  best baseline {cell['best_baseline']:.2g}"
        f"{'' if cell['holds'] else '  missed'}"
    )


if __name__ == "__main__":
    main()
