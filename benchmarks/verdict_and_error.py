"""Does "Should I use these answers?" go with the real error, in worlds whose truth is known?

python benchmarks/verdict_and_error.py --out results/benchmarks/verdict_and_error.json [world …]

Without a name all worlds, in about ten minutes, and, where ELSEWHERE_DATA names the folder, one
split (seed 0) of each real table but the widest. What the file holds is not run again.

Error is the mean squared error over all pairs of domains, in within-domain variances, as a share of
that of doing nothing and of that of the best simple method. "yes" should go with a share under 0.1,
"no" with one over 0.5, or with an error well above that of the best simple method.
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.baselines import available
from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.sets import REAL_SETS
from elsewhere.experiments.real.split import PairedSplit
from elsewhere.terminal import console, table
from elsewhere.trust import trust_report
from worlds import M, World, world

DOMAINS = 3
SIMPLE = {
    "offsets": lambda u, d, off, scale: u + off[d],
    "offsets, 15 rows": lambda u, d, off, scale: u + off[d],
    "offsets, 5 rows": lambda u, d, off, scale: u + off[d],
    "offsets and scales": lambda u, d, off, scale: u * scale[d] + off[d],
    "nothing": lambda u, d, off, scale: u,
    "faint offsets": lambda u, d, off, scale: u + 0.08 * off[d],
    "curved": lambda u, d, off, scale: (u, np.tanh(u), u + 0.3 * u**2)[d] + off[d],
    "saturated": lambda u, d, off, scale: (u, np.minimum(u, 0.5), np.exp(u / 2))[d],
    "folded": lambda u, d, off, scale: (u, np.abs(u), u**2)[d],
    "sign by a cause": lambda u, d, off, scale: u * _sign(u, d) + off[d],
    "two instruments": lambda u, d, off, scale: u + 3 * (d > 0) * off[d] * _alternate(u),
    "selection *": lambda u, d, off, scale: u + 0.2 * off[d][::-1],
    "reflected *": lambda u, d, off, scale: (u, -u, u[:, ::-1])[d] + off[d],
}
ROWS = {"offsets, 15 rows": 15, "offsets, 5 rows": 5, "curved": 300, "saturated": 300}
PAPER = ("paper", "linear_gaussian", "student", "clusters", "laplace", "nonlinear_linear")
PAPER += ("slope_0.2", "smooth", "two_layers")


REAL = tuple(name for name in REAL_SETS if name != "R5") if "ELSEWHERE_DATA" in os.environ else ()
HEAD = ("world", "answer", "of doing nothing", "of the best simple method", "it is", "because")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", nargs="*", default=(*SIMPLE, *PAPER, *REAL))
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    choices = parser.parse_args()
    console(stderr=True).print("* no unpaired row can tell: the panel says so below every answer")
    rows = json.loads(choices.out.read_text())["rows"] if choices.out.exists() else []
    for name in choices.worlds:
        if not any(row["world"] == name for row in rows):
            rows.append(judged(name))
            made_by = provenance(" ".join(["python", *sys.argv]), [0])
            found = {"made_by": made_by, "rows": rows}
            choices.out.write_text(json.dumps(found, indent=1) + "\n")
    cells = [[f"{c:.3f}" if isinstance(c, float) else str(c) for c in r.values()] for r in rows]
    console().print(table("", list(HEAD), cells, numbers_from=2))


def judged(name):
    known = known_world(name)
    X = pd.DataFrame(np.concatenate(known.rows))
    X.columns = [f"c{j}" for j in X]
    labels = np.repeat(np.arange(len(known.rows)), [len(rows) for rows in known.rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = DomainCounterfactual().fit(X, labels)
        decision = trust_report(estimator, X, labels).decision
        errors = {n: error(known, move) for n, move in methods(estimator, X, labels).items()}
    ours = errors.pop("elsewhere")
    best = min(errors, key=errors.get)
    shares = [ours / e if e else float("nan") for e in (errors["identity"], errors[best])]
    because = next((r.title for r in decision.reasons if r.verdict.warns), "")
    return dict(zip(HEAD, [name, decision.answer, *shares, best, because], strict=True))


def known_world(name):
    if name in SIMPLE:
        return simple_world(name)
    return real_world(name) if name in REAL else world(name, 0, 400)


def real_world(name):
    """One split of a real table, and what was measured of each sample elsewhere."""
    split = PairedSplit(REAL_SETS[name].load(None), seed=0)
    values, domains = split.data.values, range(len(split.data.domains))
    ends = [(d, e) for d in domains for e in domains if d != e]
    return World(split.tables, {(d, e): values[e, split.given == d] for d, e in ends})


def methods(estimator, X, labels):
    tables = {d: X[labels == d].to_numpy() for d in estimator.domains_}
    fitted = {name: kind().fit(tables) for name, kind in available().items()}
    moves = {n: lambda d, e, f=f: f.move(tables[d], d=d, d_prime=e) for n, f in fitted.items()}
    ask = estimator.counterfactual
    return {"elsewhere": lambda d, e: ask(X[labels == d], d, e).to_numpy()} | moves


def error(known, move):
    unit = np.sqrt(np.mean([rows.var(axis=0) for rows in known.rows], axis=0))
    errors = [(((move(d, e) - truth) / unit) ** 2).mean() for (d, e), truth in known.truth.items()]
    return float(np.mean(errors))


def simple_world(name):
    rng = np.random.default_rng([0, *name.encode()])
    mix = rng.normal(size=(M, M)) / 2 + np.eye(M)
    n = ROWS.get(name, 170)  # too few for a search of mechanisms, which takes long
    shared = [rng.normal(size=(n, M)) @ mix.T for _ in range(DOMAINS)]
    offsets, scales = rng.normal(size=(DOMAINS, M)), np.exp(0.4 * rng.normal(size=(DOMAINS, M)))
    if name == "selection *":  # the samples differ, and the domains hardly
        shared = [u + offset for u, offset in zip(shared, offsets, strict=True)]
    seen = SIMPLE[name]
    x = {
        (d, e): seen(shared[d], e, offsets, scales) for d in range(DOMAINS) for e in range(DOMAINS)
    }
    truth = {pair: rows for pair, rows in x.items() if pair[0] != pair[1]}
    return World([x[d, d] for d in range(DOMAINS)], truth)


def _sign(u, d):
    return (1.0, np.sign(u[:, :1]), np.sign(u[:, 1:2]))[d]


def _alternate(u):
    return np.where(np.arange(len(u)) % 2 == 0, 1.0, -1.0)[:, None]


if __name__ == "__main__":
    main()
