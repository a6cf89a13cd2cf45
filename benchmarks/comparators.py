"""How do the systems of the paper's Table 1 do on data that meet their assumptions, and on ours?

python benchmarks/comparators.py --seconds 240 --out results/benchmarks/comparators.json
python benchmarks/comparators.py --table --out results/benchmarks/comparators.json

Started again, it goes on where it stopped. Five worlds meet the assumptions of one comparator each
(`elsewhere.comparators.worlds`); two are the paper's: four latents, five domains that differ in the
last two mechanisms, behind a linear or a leaky mixing. Every method answers in every world where it
can; what it asks for beside the rows (graph, pairs) is given, the complete graph in the columns'
order where there is none. Can is told how many mechanisms differ. Entries are the squared error
over that of leaving the rows as they are.
"""

import argparse
import json
import math
import sys
import time
from pathlib import Path

import jax
import numpy as np

from elsewhere.baselines import GaussianOT, counterfactuals
from elsewhere.comparators import COMPARATORS
from elsewhere.comparators.worlds import WORLDS, World
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.errors import AssumptionError
from elsewhere.evaluation import normalised_error
from elsewhere.experiments.fingerprint import code_fingerprint
from elsewhere.experiments.provenance import provenance
from elsewhere.files import write_whole
from elsewhere.fitting import Profile, fit_each
from elsewhere.queries import move_all

CHANGED = {"bijective": 2, "sparse linear": 2, "sparse leaky": 2}  # all 4 in the others
NAMES = {
    "bijective": "graph known",
    "affine_flow": "affine flow",
    "linear_disentanglement": "atomic, linear",
    "score_based": "atomic, nonlinear",
    "weight_varying": "weights vary",
    "sparse linear": "ours, linear",
    "sparse leaky": "ours, leaky",
}


def main():
    choices = arguments()
    kept = so_far(choices)
    if choices.table:
        print(table(kept["rows"]))
        return
    end = time.monotonic() + choices.seconds
    for name, seed in [(n, s) for s in seeds(choices) for n in NAMES]:
        done = any((row["world"], row["seed"]) == (name, seed) for row in kept["rows"])
        if not done and time.monotonic() < end:
            kept["rows"] += measured(name, seed, choices.rows)
            keep(kept, choices)
            print(name, seed, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=10, help="seed; the methods were tuned on 0-5")
    parser.add_argument("--rows", type=int, default=2_000, help="per domain")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after these")
    parser.add_argument("--out", type=Path, help="a JSON file; goes on from what it has")
    parser.add_argument("--table", action="store_true", help="print the table of the file and stop")
    return parser.parse_args()


def seeds(choices):
    return range(choices.first, choices.first + choices.seeds)


def so_far(choices):
    code = code_fingerprint("elsewhere.comparators")
    fresh = {"code": code, "rows_per_domain": choices.rows, "rows": []}
    if choices.out is None or not choices.out.exists():
        return fresh
    kept = json.loads(choices.out.read_text())
    same = choices.table or all(kept[name] == fresh[name] for name in ("code", "rows_per_domain"))
    return {name: kept[name] for name in fresh} if same else fresh


def keep(kept, choices):
    done = sorted({row["seed"] for row in kept["rows"]})
    made_by = provenance(" ".join(["python", *sys.argv]), done)
    if choices.out:
        text = json.dumps({"made_by": made_by} | kept, indent=1) + "\n"
        write_whole(choices.out, text.encode())


def world_called(name, seed, n):
    if name in WORLDS:
        return WORLDS[name](np.random.default_rng(seed), n)
    keys = jax.random.split(jax.random.key(seed))
    mixing = name.removeprefix("sparse ")
    truth = simulated_truth(keys[0], 4, 5, {2, 3}, bias="sparse", mixing=mixing)
    data = simulate(keys[1], truth, train=n)
    seen = np.asarray(data.valid[0][:200])
    pairs = tuple((seen, np.asarray(truth.move(seen, d=0, d_prime=d))) for d in range(1, 5))
    return World(*map(np.asarray, (data.train, data.test, data.counterfactuals)), pairs)


def measured(name, seed, n):
    world = world_called(name, seed, n)
    rows = [compared(method, world) for method in COMPARATORS]
    rows.append({"method": "gaussian_ot", **scored(GaussianOT().fit(world.train), world)})
    for row in [*rows, *ours(name, seed, world)]:
        yield {"world": name, "seed": seed} | row


def compared(method, world):
    """The error and what is refuted, or why the method refuses."""
    asked = {"bijective": {"graph": world.graph}, "with_pairs": {"pairs": world.pairs}}
    comparator = COMPARATORS[method](**asked.get(method, {}))
    start = time.perf_counter()
    try:
        score = scored(comparator.fit(world.train), world)
    except AssumptionError as error:
        return {"method": method, "refused": str(error)}
    seconds = time.perf_counter() - start
    found = comparator.assumptions(world.train)
    refuted = [f"{one.name}: {one.words}" for one in found if one.holds is False]
    return {"method": method, **score, "seconds": seconds, "refuted": refuted}


def scored(fitted, world):
    answers = counterfactuals(fitted, world.test)
    return {"share": normalised_error(answers, world.truth, world.test)}


def ours(name, seed, world):
    k = CHANGED.get(name, world.train.shape[2])
    engine = Profile("leaky" if name == "sparse leaky" else "linear")
    fits = fit_each(jax.random.key(seed), world.train, ks=[k, None], engine=engine)
    for method, found in (("can", fits[k]), ("dense", fits[None])):
        answers = np.asarray(move_all(found.model, world.test))
        share = normalised_error(answers, world.truth, world.test)
        yield {"method": method, "share": share, "log_likelihood": found.log_likelihood}


def table(rows):
    """Median over seeds, refusals as such, † where an assumption was refuted in most seeds."""
    methods = [*COMPARATORS, "gaussian_ot", "dense", "can"]
    lines = ["| | " + " | ".join(NAMES.values()) + " |", "|---" * (len(NAMES) + 1) + "|"]
    for method in methods:
        cells = [cell([r for r in rows if (r["method"], r["world"]) == (method, w)]) for w in NAMES]
        lines.append(f"| {method.replace('_', ' ')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(rows):
    shares = [row["share"] for row in rows if "share" in row]
    if not shares:
        return "refuses"
    refuted = np.mean([bool(row.get("refuted")) for row in rows]) > 0.5
    return f"{np.median(shares):.2g}" + (" †" if refuted else "")


if __name__ == "__main__":
    main()
