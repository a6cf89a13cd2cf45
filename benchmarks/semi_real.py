"""Real rows, made-up instruments: is the default ever behind a baseline?

python benchmarks/semi_real.py --out results/benchmarks/semi_real.json

A real table of scikit-learn is dealt at random to two domains, and the second half is measured by
another instrument: as the first does; off by some amount in each column; off by one amount in all
columns; with a gain in each column; with a gain and an offset; bent; with a baseline that drifts
from column to column; or with an offset and noise. What the first half would show there, and the
second half here, is known. Errors are squared, in variances of the column in the target; printed
is the default's error as a share of the best baseline's, over all seeds. Seeds from 100 on were
used for choosing. With the same instrument twice, the best baseline is to do nothing, whose error
is 0: there the root-mean-square move is given, in deviations.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn import datasets

from elsewhere.baselines import BASELINES
from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance

TABLES = ("iris", "wine", "breast_cancer", "diabetes", "digits")
INSTRUMENTS = ("same", "offset", "common", "gain", "both", "bent", "drift", "noisy")
ROWS = (30, 100, 1_000)  # of both domains together, at most
BAR = 1.02
STILL = 0.1  # deviations by which rows may move where nothing differs
VARIES = 0.05  # of the median deviation: columns that vary less are left out


def main():
    choices, cells = arguments(), []
    for name in choices.tables:
        values = table(name)
        sizes = sorted({min(n, len(values)) for n in choices.rows})
        for n, instrument in [(n, i) for n in sizes for i in choices.instruments]:
            errors = [measure(values, n, instrument, seed) for seed in choices.seeds]
            cells.append(show(summarise(name, n, values.shape[1], instrument, errors)))
            keep(cells, choices)
    behind = [cell for cell in cells if not cell["holds"]]
    ahead = sum(cell["ratio"] <= 0.9 for cell in cells if cell["instrument"] != "same")
    print(f"{len(behind)} of {len(cells)} cells behind the bar; {ahead} at 0.9 or less")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(10)])
    parser.add_argument("--tables", nargs="+", default=TABLES, choices=TABLES)
    parser.add_argument("--instruments", nargs="+", default=INSTRUMENTS, choices=INSTRUMENTS)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--quick", action="store_true", help="two small tables, two seeds")
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    if choices.quick:
        choices.seeds, choices.tables, choices.rows = choices.seeds[:2], TABLES[:2], ROWS[:1]
    return choices


def table(name):
    """The measured columns, but those that hardly vary."""
    scaled = {"scaled": False} if name == "diabetes" else {}
    values = getattr(datasets, f"load_{name}")(**scaled).data
    deviations = values.std(axis=0)
    return values[:, deviations > VARIES * np.median(deviations)]


def measure(values, n, kind, seed):
    """{method: error} of one random half measured by another instrument."""
    rng = np.random.default_rng([seed, n, INSTRUMENTS.index(kind)])
    x = values[rng.permutation(len(values))[:n]]
    x = x[:, np.ptp(x, axis=0) > 0]
    seen = instrument(kind, x, rng)
    half = len(x) // 2
    given, truth = [x[:half], seen[half:]], [seen[:half], x[half:]]
    moves = {name: b().fit(given).move for name, b in BASELINES.items() if name != "entropic_ot"}
    answers = {
        m: [move(given[0], d=0, d_prime=1), move(given[1], d=1, d_prime=0)]
        for m, move in moves.items()
    }
    answers["elsewhere"] = ours(given)
    unit = x.var(axis=0), seen.var(axis=0)
    return {
        m: float(
            np.mean(
                [((a - t) ** 2 / u).mean() for a, t, u in zip(both, truth, unit[::-1], strict=True)]
            )
        )
        for m, both in answers.items()
    }


def instrument(kind, x, rng):
    """What the other instrument shows of the same samples."""
    p, unit = x.shape[1], x.std(axis=0)
    offset, gain = 0.5 * unit * rng.normal(size=p), np.exp(0.2 * rng.normal(size=p))
    z, place = (x - x.mean(axis=0)) / unit, np.linspace(-1, 1, p)
    a, b, c = 0.5 * rng.normal(size=3)
    shows = {
        "same": lambda: x.copy(),
        "offset": lambda: x + offset,
        "common": lambda: x + a * np.median(unit),
        "gain": lambda: x * gain,
        "both": lambda: x * gain + offset,
        "bent": lambda: x + unit * 0.15 * (np.logaddexp(0, 2 * z) - z),
        "drift": lambda: x + unit * (a + b * place + c * place**2),
        "noisy": lambda: x + offset + 0.3 * unit * rng.normal(size=x.shape),
    }
    return shows[kind]()


def ours(given):
    labels = np.repeat([0, 1], [len(rows) for rows in given])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = DomainCounterfactual().fit(np.concatenate(given), labels)
    return [
        np.asarray(fitted.counterfactual(rows, source=d, target=1 - d))
        for d, rows in enumerate(given)
    ]


def summarise(name, n, p, kind, errors):
    means = {m: float(np.mean([one[m] for one in errors])) for m in errors[0]}
    mine = means.pop("elsewhere")
    best = min(means, key=means.__getitem__)
    still = kind == "same"
    ratio = mine**0.5 if still else mine / means[best]
    cell = {
        "table": name,
        "rows": n,
        "columns": p,
        "instrument": kind,
        "ratio": ratio,
        "best": best,
    }
    return cell | {
        "errors": means | {"elsewhere": mine},
        "holds": ratio <= (STILL if still else BAR),
    }


def show(cell):
    print(
        f"{cell['table']:14}{cell['rows']:6}{cell['columns']:4}  {cell['instrument']:8}"
        f"{cell['ratio']:7.3f}  {cell['best']:14}{'' if cell['holds'] else '  behind'}",
        flush=True,
    )
    return cell


def keep(cells, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), choices.seeds)
    if choices.out:
        choices.out.write_text(json.dumps({"made_by": made_by, "cells": cells}, indent=1) + "\n")


if __name__ == "__main__":
    main()
