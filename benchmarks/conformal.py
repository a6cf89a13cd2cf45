"""Do intervals hold what the other domain really measures, with and without 20 pairs?

python benchmarks/conformal.py --seeds 0-9 --out results/benchmarks/conformal.json

Real tables (ELSEWHERE_DATA names their folder), 90 % intervals, all defaults. 20 samples are seen
in every domain, all others in one only; asked are the others. Four intervals: those of the unpaired
fit by itself; the same calibrated by the 20 pairs; those of a fit with the 20 pairs by itself;
those of a fit with 11 of them, calibrated by 9. Also given: the mean width, in standard deviations
of the column in the target. The bar, for calibrated ones: 85 to 95 % of entries. Spectra of R6
pass zero, and are modelled as unbounded (links="identity"). What the file holds is not run again.
"""

import argparse
import json
import sys
import warnings
from itertools import combinations, permutations
from pathlib import Path

import numpy as np

from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.sets import REAL_SETS, real_set
from elsewhere.experiments.real.split import PairedSplit
from seeds import seed_range

PAIRS, FITTED = 20, 11
CROSS_ZERO = ("R6",)  # a value of a pair may be negative where all others are positive
WAYS = ("unpaired", "unpaired, 20 calibrate", "fit with 20", "fit with 11, 9 calibrate")


def main():
    choices = arguments()
    rows = json.loads(choices.out.read_text())["rows"] if choices.out.exists() else []
    for name in choices.sets:
        data = real_set(name).load(None)
        for seed in choices.seeds:
            if not any((name, seed) == (row["set"], row["seed"]) for row in rows):
                links = "identity" if name in CROSS_ZERO else "auto"
                found = measured(data, seed, links)
                rows += [{"set": name, "seed": seed} | row for row in found]
                keep(rows, choices)
        keep(rows, choices)
        show(name, [row for row in rows if row["set"] == name and row["seed"] in choices.seeds])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=[*REAL_SETS])
    parser.add_argument("--seeds", type=seed_range, default=range(10), help="e.g. 0-9")
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    return parser.parse_args()


def measured(data, seed, links):
    order = np.random.default_rng([seed, 30]).permutation(len(data.samples))
    given = PairedSplit(data, seed).given.copy()
    given[order[:PAIRS]] = -1
    tables = [data.values[d, given == d] for d in range(len(data.domains))]
    labels = np.repeat(np.arange(len(tables)), [len(table) for table in tables])

    def pairs(places):
        ends = combinations(range(len(tables)), 2)
        return [(d, e, data.values[d, places], data.values[e, places]) for d, e in ends]

    def fitted(seen=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = DomainCounterfactual(links=links)
            return model.fit(np.concatenate(tables), labels, pairs=seen)

    few, rest = order[:FITTED], order[FITTED:PAIRS]
    plain, all_pairs = fitted(), pairs(order[:PAIRS])
    asked = (plain, None), (plain, all_pairs), (fitted(all_pairs), None), (fitted(pairs(few)), rest)
    for way, (model, seen) in zip(WAYS, asked, strict=True):
        seen = pairs(rest) if seen is rest else seen
        yield {"way": way} | scores(model, data, given, tables, seen)


def scores(model, data, given, tables, pairs):
    """The share of entries inside, and the mean width."""
    inside, width = [], []
    for d, e in permutations(range(len(tables)), 2):
        low, high = model.interval(tables[d], source=d, target=e, pairs=pairs)
        truth, unit = data.values[e, given == d], data.values[e].std(axis=0)
        inside.append(((low <= truth) & (truth <= high)).mean())
        width.append(((high - low) / unit).mean())
    return {"coverage": float(np.mean(inside)), "width": float(np.mean(width))}


def keep(rows, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), choices.seeds)
    rows.sort(key=lambda row: (row["set"], row["seed"], WAYS.index(row["way"])))
    choices.out.write_text(json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n")


def show(name, rows):
    for way in WAYS:
        found = [row for row in rows if row["way"] == way]
        cover, width = (np.array([row[k] for row in found]) for k in ("coverage", "width"))
        ends = f"{cover.min():.3f}–{cover.max():.3f}"
        print(f"{name:4}{way:28}{cover.mean():7.3f}  {ends}{width.mean():8.3f}", flush=True)


if __name__ == "__main__":
    main()
