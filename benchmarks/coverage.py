"""Do 90 % intervals cover the truth for 85 to 97 % of entries?

python benchmarks/coverage.py --out results/benchmarks/coverage.json

Worlds whose explanation is in the ladder, three domains, all defaults. Samples have three common
factors and noise of each column's own, and every column variance 1; each domain shows them with
offsets in half of the columns, with offsets and scales, or with offsets and a symmetric positive
definite matrix. Narrow tables have 6 columns and 50 or 500 rows per domain, wide ones 300 columns
and 60 rows. Then two changed mechanisms of six under a linear and a leaky mixing, 2,000 rows (see
worlds.py). The truth is what the same sample shows elsewhere, without fresh noise. Also given: the
mean width of the interval and the root-mean-square error of the answer, in standard deviations of
the column in the target, and that squared error as a share of the best baseline's. Tables that
the file holds already are not run again.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.linalg import expm

from elsewhere.baselines import BASELINES
from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance
from worlds import World, world

LEAST, MOST = 0.85, 0.97
ROUNDING = 1e-6  # standard deviations by which an entry may lie outside an interval
OWN = 0.6  # standard deviation of each column's own noise
EFFECTS = ("offsets", "scales", "affine")
SIZES = ((50, 6), (500, 6), (60, 300))  # rows per domain, columns
SPARSE = (("linear_gaussian", 2_000), ("paper", 2_000))


def main():
    choices = arguments()
    cells = [(kind, n, p) for n, p in SIZES for kind in EFFECTS]
    cells += [(kind, n, 6) for kind, n in SPARSE]
    cells = [(kind, n, p) for kind, n, p in cells if part(kind, p) in choices.parts]
    found = kept(choices.out)
    print(f"{'world':17}{'rows':>6}{'columns':>9}{'coverage':>10}  by seed  width  error  share")
    for cell in cells:
        some = choices.seeds[: choices.sparse] if cell[0] not in EFFECTS else choices.seeds
        for seed in some:
            tables = found[cell]["tables"] if cell in found else []
            if seed not in [table["seed"] for table in tables]:
                found[cell] = summarise(*cell, [*tables, measure(*cell, seed)])
                keep(list(found.values()), choices)
        show(found[cell])


def kept(out):
    rows = json.loads(out.read_text())["rows"] if out and out.exists() else []
    return {(row["world"], row["rows"], row["columns"]): row for row in rows}


def part(kind, p):
    return "sparse" if kind not in EFFECTS else "narrow" if p == 6 else "wide"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[*range(1, 6)])
    parser.add_argument("--sparse", type=int, default=2, help="seeds of the slow, sparse worlds")
    parser.add_argument("--parts", nargs="+", default=["narrow", "wide", "sparse"])
    parser.add_argument("--quick", action="store_true", help="two seeds, narrow tables")
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    if choices.quick:
        choices.seeds, choices.parts = choices.seeds[:2], ["narrow"]
    return choices


def simulated(kind, n, p, seed, domains=3):
    """Samples shared by all domains, shown by each in its own way."""
    rng = np.random.default_rng([seed, n, p, EFFECTS.index(kind)])
    loadings = rng.normal(size=(3, p))
    loadings *= (1 - OWN**2) ** 0.5 / np.linalg.norm(loadings, axis=0)
    unit = np.exp(rng.normal(size=p))
    shows = [_effect(kind, p, rng, loadings) for _ in range(domains)]
    noise = [rng.normal(size=(n, 3)) @ loadings + OWN * rng.normal(size=(n, p)) for _ in shows]
    x = {(d, e): unit * shows[e](u) for d, u in enumerate(noise) for e in range(domains)}
    truth = {(d, e): values for (d, e), values in x.items() if d != e}
    return World([x[d, d] for d in range(domains)], truth)


def _effect(kind, p, rng, loadings):
    changed = rng.random(p) < 0.5
    offset = 0.7 * rng.normal(size=p) * changed
    if kind == "affine":
        axes = np.linalg.qr(loadings.T)[0] if p > 6 else np.eye(p)
        noise = 0.1 * rng.normal(size=(axes.shape[1],) * 2)
        matrix = np.eye(p) + axes @ (expm(noise + noise.T) - np.eye(len(noise))) @ axes.T
        return lambda u: u @ matrix + offset
    scale = np.exp(0.3 * rng.normal(size=p) * changed) if kind == "scales" else 1.0
    return lambda u: u * scale + offset


def measure(kind, n, p, seed):
    made = simulated(kind, n, p, seed) if kind in EFFECTS else world(kind, seed, n)
    labels = np.repeat(np.arange(len(made.rows)), n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = DomainCounterfactual().fit(np.concatenate(made.rows), labels)
    scores = [scored(fitted, made.rows[d], d, e, t) for (d, e), t in made.truth.items()]
    inside, width, square = map(float, np.mean(scores, axis=0))
    return {
        "seed": seed,
        "coverage": inside,
        "width": width,
        "error": square**0.5,
        "share": square / best_baseline(made),
        "used": [one.name for one in fitted.result_.explanations if one.used],
        "candidates": len(fitted.result_.candidates),
        "k": fitted.result_.k,
    }


def best_baseline(made):
    """The least squared error of all baselines but entropic optimal transport."""
    moves = [b().fit(made.rows).move for name, b in BASELINES.items() if name != "entropic_ot"]
    return min(
        np.mean([square(m(made.rows[d], d=d, d_prime=e), t) for (d, e), t in made.truth.items()])
        for m in moves
    )


def square(answer, truth):
    return ((np.asarray(answer) - truth) ** 2 / truth.var(axis=0)).mean()


def scored(fitted, rows, d, e, truth):
    """(share inside, width, squared error) in deviations of the target."""
    unit = truth.std(axis=0)
    low, high = fitted.interval(rows, source=d, target=e)
    inside = (low - ROUNDING * unit <= truth) & (truth <= high + ROUNDING * unit)
    answer = fitted.counterfactual(rows, source=d, target=e)
    return inside.mean(), ((high - low) / unit).mean(), square(answer, truth)


def summarise(kind, n, p, tables):
    keys = ("coverage", "width", "error", "share")
    means = {key: float(np.mean([t[key] for t in tables])) for key in keys}
    holds = LEAST <= means["coverage"] <= MOST
    return {"world": kind, "rows": n, "columns": p, **means, "holds": holds, "tables": tables}


def show(row):
    ends = [f(t["coverage"] for t in row["tables"]) for f in (min, max)]
    used = sorted({"+".join(t["used"]) for t in row["tables"]})
    print(
        f"{row['world']:17}{row['rows']:6}{row['columns']:9}{row['coverage']:10.3f}  "
        f"{ends[0]:.2f}–{ends[1]:.2f}{row['width']:7.3f}{row['error']:7.3f}{row['share']:7.2f}  "
        f"{'' if row['holds'] else 'missed  '}{', '.join(used)}",
        flush=True,
    )
    return row


def keep(rows, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), choices.seeds)
    if choices.out:
        choices.out.write_text(json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
