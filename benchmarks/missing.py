"""How much further from the truth is a fit whose table has gaps?

ELSEWHERE_DATA=data python benchmarks/missing.py --seeds 0-9 --out results/benchmarks/missing.json

Entries are left out at random, 5, 20 and 50 % of them, the rest is fitted with all defaults, and
the error is that of complete rows moved by the fit: squared, per column, over the variance of the
column in the target, mean over ordered pairs of domains. Ratios are of mean errors over seeds to
that of the complete table. The bars: 1.1, 1.5 and 3. `rows` is the same for the rows as they are,
with their gaps, over the entries that are there: for maps that mix columns this holds what a gap
hides. `drop` fits only the rows without gaps, `mean` fills gaps with the column's mean in its
domain. Options were chosen on seeds 100-109.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np

from elsewhere.estimators import DomainCounterfactual
from elsewhere.evaluation import hidden_pairs_error
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.sets import real_set
from elsewhere.experiments.real.split import PairedSplit
from seeds import seed_range
from worlds import World, world

BARS = {0.05: 1.1, 0.2: 1.5, 0.5: 3.0}
REAL = {"tablets": "R1", "gas boards": "R3"}


def main():
    choices = arguments()
    rows = earlier(choices)
    for name in choices.worlds:
        for seed in choices.seeds:
            rows += measure(name, seed, choices.compare)
            keep(rows, choices)
        for line in summarised([row for row in rows if row["world"] == name]):
            print(line, flush=True)


def earlier(choices):
    """The rows in the file that are not made now."""
    if not (choices.out and choices.out.exists()):
        return []
    rows = json.loads(choices.out.read_text())["rows"]
    return [r for r in rows if r["world"] not in choices.worlds or r["seed"] not in choices.seeds]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seed_range, default=seed_range("0-9"))
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument(
        "--compare", action="store_true", help="also drop rows, and fill with means"
    )
    parser.add_argument("--quick", action="store_true", help="one seed of two worlds")
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    if choices.quick:
        choices.seeds, choices.worlds = [0], ["offsets", "scales"]
    return choices


def tables(rng, domains, n, columns, loadings, offset=0.0, scale=0.0, turn=0.0):
    """x_d = A_d (codes and noise) s_d + m_d, and the truth for every pair."""
    codes = rng.standard_normal((domains, n, loadings))
    noise = rng.standard_normal((domains, n, columns))
    weights = rng.standard_normal((columns, loadings))
    u = codes @ weights.T + noise
    means = offset * rng.standard_normal((domains, columns)) * (rng.random(columns) < 0.7)
    scales = np.exp(scale * rng.standard_normal((domains, columns)))
    turns = [np.eye(columns) + turn * rng.standard_normal((columns, columns)) for _ in scales]

    def made(d, e):
        x = u[d] @ turns[e].T if turn else u[d]
        return x * scales[e] + means[e]

    pairs = [(d, e) for d in range(domains) for e in range(domains)]
    x = {(d, e): made(d, e) for d, e in pairs}
    return World([x[d, d] for d in range(domains)], {(d, e): x[d, e] for d, e in pairs if d != e})


WORLDS = {
    "offsets": lambda rng, seed: tables(rng, 3, 300, 10, 2, offset=0.7),
    "scales": lambda rng, seed: tables(rng, 3, 300, 10, 2, offset=0.7, scale=0.4),
    "affine": lambda rng, seed: tables(rng, 2, 2_000, 14, 2, offset=0.7, scale=0.3, turn=0.1),
    "wide": lambda rng, seed: tables(rng, 2, 100, 400, 4, offset=0.7),
    "mechanisms": lambda rng, seed: world("linear_gaussian", seed, 3_000),
    "tablets": None,
    "gas boards": None,
}


def measure(name, seed, compare):
    """One row per share of entries missing, the complete table first."""
    if name in REAL:
        chosen = PairedSplit(real_set(REAL[name]).load(None), seed)
        shown = chosen.tables
    else:
        chosen = WORLDS[name](np.random.default_rng([seed, *name.encode()]), seed)
        shown = chosen.rows
    found = []
    for share in (0.0, *BARS):
        rng = np.random.default_rng([seed, int(100 * share)])
        cut = [np.where(rng.random(t.shape) < share, np.nan, t) for t in shown]
        model = fitted(cut)
        errors = {"error": asked(chosen, model), "rows": with_gaps(chosen, cut, model)}
        if compare and share:
            errors |= {"mean": asked(chosen, fitted([filled(t) for t in cut]))}
            whole = [t[~np.isnan(t).any(axis=1)] for t in cut]
            if min(map(len, whole)) > 2:
                errors |= {"drop": asked(chosen, fitted(whole))}
        found.append({"world": name, "seed": seed, "share": share} | errors)
    return found


def fitted(parts):
    labels = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DomainCounterfactual(links="identity").fit(np.concatenate(parts), labels)


def filled(table):
    return np.where(np.isnan(table), np.nanmean(table, axis=0), table)


def asked(chosen, model):
    """The error of complete rows moved by the model."""
    if isinstance(chosen, PairedSplit):
        values = chosen.data.values

        def answer(d, e):
            rows = values[d, chosen.given == d]
            return model.counterfactual(rows, source=d, target=e)

        return hidden_pairs_error(values, chosen.given, answer)
    squares = [
        (model.counterfactual(chosen.rows[d], source=d, target=e) - t) ** 2 / t.var(axis=0)
        for (d, e), t in chosen.truth.items()
    ]
    return float(np.mean([s.mean() for s in squares]))


def with_gaps(chosen, cut, model):
    """The error of the rows with their gaps, over the entries that are there."""
    if isinstance(chosen, PairedSplit):
        values, given = chosen.data.values, chosen.given
        pairs = [(d, e) for d in range(len(cut)) for e in range(len(cut)) if d != e]
        truth = {(d, e): values[e, given == d] for d, e in pairs}
    else:
        truth = chosen.truth
    squares = [
        (model.counterfactual(cut[d], source=d, target=e) - t) ** 2 / t.var(axis=0)
        for (d, e), t in truth.items()
    ]
    return float(np.mean([np.nanmean(s) for s in squares]))


def summarised(rows):
    """Ratios of mean errors to those of the complete table."""
    mean = {
        share: {
            kind: float(np.mean([r[kind] for r in rows if r["share"] == share]))
            for kind in ("error", "rows", "mean", "drop")
            if all(kind in r for r in rows if r["share"] == share)
        }
        for share in (0.0, *BARS)
    }
    whole = mean[0.0]["error"]
    for share, bar in BARS.items():
        ratios = {kind: value / whole for kind, value in mean[share].items()}
        holds = "holds" if ratios["error"] <= bar else "MISSED"
        shown = "  ".join(f"{kind} {value:8.3f}" for kind, value in ratios.items())
        yield f"{rows[0]['world']:12}{share:5.0%}  bar {bar:3.1f} {holds}  {shown}  ({whole:.3g})"


def keep(rows, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), sorted({row["seed"] for row in rows}))
    said = [line for name in WORLDS for line in _of(rows, name)]
    if choices.out:
        found = {"made_by": made_by, "summary": said, "rows": rows}
        choices.out.write_text(json.dumps(found, indent=1) + "\n")


def _of(rows, name):
    chosen = [row for row in rows if row["world"] == name]
    return list(summarised(chosen)) if chosen else []


if __name__ == "__main__":
    main()
