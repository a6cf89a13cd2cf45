"""Gas boards with gas and concentration kept: what do covariates add on real data?

ELSEWHERE_DATA=data python benchmarks/covariates_gas.py --out results/benchmarks/covariates_gas.json

The protocol of experiments R2 and R3: every exposure is given to one board only, its reading on
another board is hidden. Errors as there (1: answering with the target's mean), with all defaults,
without covariates, with them, and with half of what they leave taken for noise of the measurement
(carried=0.5): the same set point was exposed at another time for each board. "floor" is the error
of boards' effects that are known from all readings, hidden ones included, with all of a row's
deviation moving along, and "floor_cells" the same with a mean of its own for every gas and
concentration: no answer that carries all of it can do much better, however effects are modelled.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.baselines import BASELINES
from elsewhere.covariates import fit_covariates
from elsewhere.datasets.real import load_gas
from elsewhere.estimators import DomainCounterfactual
from elsewhere.evaluation.hidden_pairs import give_samples, hidden_pairs_error
from elsewhere.experiments.provenance import provenance

BOARDS = {"R2": 5, "R3": 3}
BAR = 0.7
QUICK = [name for name in BASELINES if name != "entropic_ot"]


def main():
    choices = arguments()
    sets = {name: measure(boards, choices.seeds) for name, boards in BOARDS.items()}
    for name, found in sets.items():
        errors = ", ".join(f"{key} {value:.3f}" for key, value in found["mean"].items())
        ratios = f"kept {found['ratio']:.2f}, half carried {found['ratio_half']:.2f}"
        print(f"{name}: {errors}; of the best baseline: {ratios}")
    if choices.out:
        made_by = provenance(" ".join(["python", *sys.argv]), choices.seeds)
        choices.out.write_text(json.dumps({"made_by": made_by, "sets": sets}, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(10)])
    parser.add_argument("--out", type=Path, help="a JSON file")
    return parser.parse_args()


def measure(boards, seeds):
    data = load_gas(boards=boards)
    parts = [sample.split("_") for sample in data.samples]
    C = pd.DataFrame({"gas": [p[0] for p in parts], "concentration": [p[1] for p in parts]})
    C["concentration"] = C["concentration"].str[1:].astype(float)
    runs = [one_split(data, C, seed) for seed in seeds]
    keys = [key for key in runs[0] if key not in ("seed", "note")]
    mean = {key: float(np.mean([run[key] for run in runs])) for key in keys}
    best = min(QUICK, key=lambda name: mean[name])
    ratios = {"ratio": mean["kept"] / mean[best], "ratio_half": mean["half"] / mean[best]}
    return {"mean": mean, "best_baseline": best, **ratios, "bar": BAR, "runs": runs}


def one_split(data, C, seed):
    count = len(data.domains)
    given = give_samples(len(data.samples), count, seed=seed)
    X, names = data.values[given, np.arange(len(given))], np.array(data.domains)
    tables = [X[given == d] for d in range(count)]

    def by(name):
        move = BASELINES[name]().fit(tables).move
        return hidden_pairs_error(data.values, given, lambda d, e: move(tables[d], d=d, d_prime=e))

    def ours(**options):
        fitted = DomainCounterfactual().fit(X, names[given], **options)
        kept = "covariates" in options

        def answer(d, e):
            asked = {"covariates": C[given == d]} if kept else {}
            return fitted.counterfactual(tables[d], source=names[d], target=names[e], **asked)

        return fitted, hidden_pairs_error(data.values, given, answer)

    fitted, kept = ours(covariates=C)
    return {
        "seed": seed,
        "kept": kept,
        "half": ours(covariates=C, carried=0.5)[1],
        "without": ours()[1],
        **{name: by(name) for name in QUICK},
        "floor": hidden_pairs_error(
            data.values, given, known_effects(data, by_basis(data, C), given)
        ),
        "floor_cells": hidden_pairs_error(
            data.values, given, known_effects(data, by_cells(data, C), given)
        ),
        "note": fitted.notes_[0],
    }


def by_basis(data, C):
    """Each board's regression on the columns that the fit chooses."""
    z = [fit_covariates(C, values, np.arange(len(C)) % 2).z(C, len(C)) for values in data.values]
    return [np.c_[np.ones(len(C)), part] for part in z]


def by_cells(data, C):
    """A mean of its own for every gas and concentration."""
    cells = pd.get_dummies(C["gas"] + " " + C["concentration"].astype(str)).to_numpy(float)
    return [cells for _ in data.values]


def known_effects(data, designs, given):
    """Each board's own regression on all its readings; deviations in the board's own unit."""
    fitted = [
        design @ np.linalg.lstsq(design, values, rcond=None)[0]
        for design, values in zip(designs, data.values, strict=True)
    ]
    rest = [values - part for values, part in zip(data.values, fitted, strict=True)]

    def answer(d, e):
        scale = rest[e].std(axis=0) / rest[d].std(axis=0)
        return (fitted[e] + scale * rest[d])[given == d]

    return answer


if __name__ == "__main__":
    main()
