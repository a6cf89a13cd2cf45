"""Sites with different ages and diagnoses: is case mix taken for a difference of sites?

python benchmarks/covariates.py --out results/benchmarks/covariates.json

Patients have an age and a diagnosis, which change every column; sites have patients of different
ages and shares of diagnosis, and show each patient with their own offsets ("offsets"), and scales
of what is left ("scales"), or scales of all ("gains"). "nonlinear": age acts along a U. "strong":
offsets, and ages and diagnoses that hardly overlap. "null": sites show every patient alike, and
differ in their mix only. The truth is the same patient, shown by another site. Errors are mean
squares in units of the variance that age and diagnosis leave within a site.

The bar: with covariates at most a fifth of the error without, and below ComBat with the same
covariates (inmoose and neuroCombat as they are, where installed; the better of the two). Levels
were chosen on seeds 100-149. Then sites whose patients have one diagnosis: the fit must refuse,
naming both. With --kinds or --sizes, the other cells in the JSON file stay as they are.
"""

import argparse
import io
import json
import sys
import warnings
from contextlib import redirect_stdout
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.errors import AssumptionError
from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance

KINDS = ("offsets", "scales", "gains", "nonlinear", "strong", "null")
SIZES = ((2, 50, 5), (2, 500, 50), (5, 50, 50), (5, 500, 5))  # sites, rows per site, columns
BAR = 0.2
LEAST = 1e-12  # an error below this is none


def main():
    choices = arguments()
    cells = []
    print(f"{'kind':10} sites  rows columns  with  without  share  ComBat")
    for kind, (sites, rows, columns) in product(choices.kinds, choices.sizes):
        runs = [measure(kind, sites, rows, columns, seed) for seed in choices.seeds]
        cells.append(show(summarise(kind, sites, rows, columns, runs)))
        keep(cells, choices)
    held = sum(cell["holds"] for cell in cells)
    print(f"{held} of {len(cells)} cells hold the bar; site = diagnosis: {refusal()}")


def keep(cells, choices):
    if choices.out:
        made_by = provenance(" ".join(["python", *sys.argv]), choices.seeds)
        old = json.loads(choices.out.read_text())["cells"] if choices.out.exists() else []
        every = {place(cell): cell for cell in [*old, *cells]}
        every = [every[key] for key in sorted(every)]
        found = {"made_by": made_by, "cells": every, "site_is_diagnosis": refusal()}
        choices.out.write_text(json.dumps(found, indent=1) + "\n")


def place(cell):
    """Where a cell stands in the file."""
    return KINDS.index(cell["kind"]), cell["sites"], cell["rows"], cell["columns"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(10)])
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--quick", action="store_true", help="two seeds, the smallest tables")
    parser.add_argument("--out", type=Path, help="a JSON file")
    parser.add_argument("--sizes", type=int, nargs="+", default=[*range(len(SIZES))])
    choices = parser.parse_args()
    if choices.quick:
        choices.seeds, choices.sizes = choices.seeds[:2], choices.sizes[:1]
    choices.sizes = [SIZES[i] for i in choices.sizes]
    return choices


def simulated(kind, sites, rows, columns, seed):
    """(X, site, covariates, truth[site]: all rows as that site shows them)."""
    rng = np.random.default_rng([seed, sites, rows, columns, KINDS.index(kind)])
    slopes, shifts = rng.normal(size=(2, columns))
    shared = rng.normal(size=(2, columns)) * 0.5
    site = np.repeat(np.arange(sites), rows)
    far = 3.0 if kind == "strong" else 1.0
    place = far * np.linspace(-1, 1, sites)[site]
    age = place + rng.normal(size=len(site))
    ill = rng.random(len(site)) < 1 / (1 + np.exp(-1.2 * np.clip(place, -1.5, 1.5)))
    acts = age**2 - 1 if kind == "nonlinear" else age
    means = acts[:, None] * slopes + ill[:, None] * shifts
    rest = rng.normal(size=(len(site), 2)) @ shared + rng.normal(size=(len(site), columns))
    offsets = rng.normal(size=(sites, columns)) * (kind != "null")
    scales = np.exp(0.3 * rng.normal(size=(sites, columns)) * (kind in ("scales", "gains")))
    truth = [
        o + (s * (means + rest) if kind == "gains" else means + s * rest)
        for o, s in zip(offsets, scales, strict=True)
    ]
    X = np.stack([truth[d][i] for i, d in enumerate(site)])
    C = pd.DataFrame({"age": 50 + 15 * age, "diagnosis": np.where(ill, "ill", "well")})
    unit = np.stack([s**2 * (1 + (shared**2).sum(axis=0)) for s in scales])
    return X, site, C, truth, unit


def measure(kind, sites, rows, columns, seed):
    X, site, C, truth, unit = simulated(kind, sites, rows, columns, seed)

    def error(answer):
        moved = [(((answer(e) - truth[e]) ** 2) / unit[e])[site != e].mean() for e in range(sites)]
        return float(np.mean(moved))

    def ours(covariates):
        given = {} if covariates is None else {"covariates": covariates}
        fitted = DomainCounterfactual().fit(X, site, **given)
        return fitted, error(
            lambda e: np.asarray(fitted.counterfactual(X, source=site, target=e, **given))
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted, kept = ours(C)
        found = {"seed": seed, "with": kept, "without": ours(None)[1]}
        for name, peer in PEERS.items():
            if find_spec(name):
                with redirect_stdout(io.StringIO()):
                    found[name] = error(lambda e, peer=peer: peer(X, site, C, e))
    low, high = zip(
        *(fitted.interval(X, source=site, target=e, covariates=C) for e in range(sites)),
        strict=True,
    )
    inside = [
        ((a - 1e-9 <= t) & (t <= b + 1e-9))[site != e].mean()
        for e, (a, b, t) in enumerate(zip(low, high, truth, strict=True))
    ]
    return found | {"coverage": float(np.mean(inside)), "note": fitted.notes_[0]}


def inmoose(X, site, C, reference):
    from inmoose.pycombat import pycombat_norm

    model = pd.DataFrame({"age": C["age"], "ill": (C["diagnosis"] == "ill").astype(float)})
    found = pycombat_norm(
        X.T, [str(d) for d in site], covar_mod=model.to_numpy(), ref_batch=str(reference)
    )
    return np.asarray(found, float).T


def neuro_combat(X, site, C, reference):
    from neuroCombat import neuroCombat

    np.int = int  # type: ignore[attr-defined]  # a name of older NumPy, which it calls
    found = neuroCombat(
        dat=pd.DataFrame(X.T),
        covars=C.assign(site=site),
        batch_col="site",
        categorical_cols=["diagnosis"],
        continuous_cols=["age"],
        ref_batch=reference,
    )
    return np.asarray(found["data"], float).T


PEERS = {"inmoose": inmoose, "neuroCombat": neuro_combat}


def summarise(kind, sites, rows, columns, runs):
    names = ["with", "without", "coverage", *(n for n in PEERS if n in runs[0])]
    means = {name: float(np.mean([run[name] for run in runs])) for name in names}
    peers = [means[name] for name in PEERS if name in means]
    best = min(peers, default=np.inf)
    below = bool(means["with"] < best or means["with"] < LEAST)
    return {
        "kind": kind,
        "sites": sites,
        "rows": rows,
        "columns": columns,
        **means,
        "share": means["with"] / means["without"],
        "combat": best if peers else None,
        "holds": bool(means["with"] <= BAR * means["without"]) and below,
        "runs": runs,
    }


def show(cell):
    combat = "–" if cell["combat"] is None else f"{cell['combat']:.4f}"
    print(
        f"{cell['kind']:10}{cell['sites']:6}{cell['rows']:6}{cell['columns']:8}"
        f"{cell['with']:9.4f}{cell['without']:9.4f}{cell['share']:7.3f}{combat:>9}"
        f"  coverage {cell['coverage']:.2f}{'' if cell['holds'] else '  missed'}",
        flush=True,
    )
    return cell


def refusal():
    """What a fit says where site and diagnosis are the same thing."""
    X, site, C, *_ = simulated("offsets", 2, 50, 5, 0)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(5)])
    same = C.assign(diagnosis=np.where(site == 1, "ill", "well"))
    try:
        DomainCounterfactual().fit(frame, pd.Series(site, name="site"), covariates=same)
    except AssumptionError as error:
        return str(error)
    return "not refused"


if __name__ == "__main__":
    main()
