"""One domain split at random and called two: does the default say that nothing differs?

python benchmarks/nothing_to_harmonise.py --out results/benchmarks/nothing_to_harmonise.json

Rows of one kind are dealt to two domains by chance, fitted with all defaults, and moved from each
domain to the other. The bar: rows move by less than 0.1 standard deviations (root mean square), and
at least 18 of 20 tables are said to have nothing to harmonise. Tables of more than 300,000 entries
are left out. Per size: how many tables are said to hold no difference, how many move by 0.1 or
more, and the largest and the median move.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance

KINDS = ("normal", "correlated", "heavy", "clustered")
ROWS = (30, 100, 300, 3_000)  # of both domains together
COLUMNS = (5, 20, 100, 500)
MOST = 300_000  # entries
BAR = 0.1  # standard deviations
SHARE = 0.9  # of the tables


def main():
    choices = arguments()
    sizes = [(n, p) for n in choices.rows for p in choices.columns if n * p <= MOST]
    cells = []
    print(f"{'columns are':12}{'rows':>6}{'columns':>9}{'nothing':>10}{'moved':>7}{'largest':>9}")
    for kind in choices.kinds:
        for n, p in sizes:
            tables = [measure(kind, n, p, seed) for seed in range(choices.seeds)]
            cells.append(show(summarise(kind, n, p, tables)))
            keep(cells, choices)
    missed = [c for c in cells if not c["holds"]]
    print(f"{len(cells) - len(missed)} of {len(cells)} cells hold the bar")


def keep(cells, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), range(choices.seeds))
    if choices.out:
        choices.out.write_text(json.dumps({"made_by": made_by, "cells": cells}, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="how many tables per size")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--columns", type=int, nargs="+", default=COLUMNS)
    parser.add_argument("--quick", action="store_true", help="3 tables of the smaller sizes")
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    if choices.quick:
        choices.seeds, choices.rows, choices.columns = 3, (30, 300), (5, 100)
    return choices


def measure(kind, n, p, seed):
    rng = np.random.default_rng([seed, n, p, KINDS.index(kind)])
    x, labels = table(kind, n, p, rng), rng.permutation(n) % 2
    start = time.perf_counter()
    fitted = DomainCounterfactual().fit(x, labels)
    seconds = time.perf_counter() - start
    moved = np.asarray(fitted.counterfactual(x, source=labels, target=1 - labels))
    used = [one.name for one in fitted.result_.explanations if one.used]
    return {
        "seed": seed,
        "move": float(np.sqrt((((moved - x) / x.std(axis=0)) ** 2).mean())),
        "used": used,
        "nothing": used == ["nothing"],
        "seconds": seconds,
    }


def table(kind, n, p, rng):
    """n rows of one domain."""
    x = rng.normal(size=(n, p))
    if kind == "correlated":
        return rng.normal(size=(n, 5)) @ rng.normal(size=(5, p)) + 0.7 * x
    if kind == "heavy":
        return rng.standard_t(3, size=(n, p)) + rng.standard_t(3, size=(n, 1))
    if kind == "clustered":
        return 0.5 * x + 2 * rng.integers(0, 3, size=(n, 1)) * np.linspace(-1, 1, p)
    return x


def summarise(kind, n, p, tables):
    moves = [one["move"] for one in tables]
    nothing = sum(one["nothing"] for one in tables)
    far = sum(move >= BAR for move in moves)
    return {
        "kind": kind,
        "rows": n,
        "columns": p,
        "tables": len(tables),
        "nothing": nothing,
        "moved": far,
        "largest": max(moves),
        "median": float(np.median(moves)),
        "seconds": float(np.mean([one["seconds"] for one in tables])),
        "holds": nothing >= SHARE * len(tables) and len(tables) - far >= SHARE * len(tables),
        "found": [one for one in tables if not one["nothing"]],
    }


def show(cell):
    print(
        f"{cell['kind']:12}{cell['rows']:6}{cell['columns']:9}"
        f"{cell['nothing']:6}/{cell['tables']}{cell['moved']:7}{cell['largest']:9.3f}"
        f"{cell['seconds']:8.2f} s{'' if cell['holds'] else '  missed'}",
        flush=True,
    )
    return cell


if __name__ == "__main__":
    main()
