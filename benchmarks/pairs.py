"""What are a few pairs worth? Error against the number of pairs, and coverage of intervals.

python benchmarks/pairs.py --settings few,linear,scales,wide,good --seeds 100-104 --json out.json

few: 400 rows per domain. linear: a linear mixing, whose axes no kink fixes. scales: noise scales
that change with the domain. wide: k two larger than the truth's. good: 20,000 rows per domain,
where the unpaired fit needs no help. All have m = 6, three domains, two changed mechanisms; the
others 1,000 rows per domain. Pairs lead from each domain to the next; noise is in deviations of
a column.

Coverage: intervals at 90 % from 30 held-out pairs around the fit with 50 noisy pairs, tried on 200
others, 20 times a fit.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error
from elsewhere.evaluation.conformal import calibrate
from elsewhere.fitting import Pairs, fit, refine_with_pairs
from elsewhere.mixing import linear
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.scm import LinearSCM
from seeds import seed_range

M, DOMAINS, CHANGED = 6, 3, (4, 5)
COUNTS, NOISES, LEVEL = (20, 50, 200), (0.0, 0.1), 0.9


@dataclass(frozen=True)
class Setting:
    rows: int = 1_000
    k: int = 2
    mixing: str = "leaky"
    scales: float = 0.0


SETTINGS = {
    "few": Setting(rows=400),
    "linear": Setting(mixing="linear"),
    "scales": Setting(scales=0.7),
    "wide": Setting(k=4),
    "good": Setting(rows=20_000),
}


def main():
    choices = arguments()
    results = {name: run(name, SETTINGS[name], choices.seeds) for name in choices.settings}
    if choices.json:
        choices.json.write_text(json.dumps(results, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=lambda text: text.split(","), default=list(SETTINGS))
    parser.add_argument("--seeds", type=seed_range, default=list(range(100, 105)))
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def run(name, setting, seeds):
    rows = [show(name, measure(seed, setting)) for seed in seeds]
    summary = {key: summarise([row[key] for row in rows]) for key in rows[0] if key != "seed"}
    print(f"{name}: " + "  ".join(f"{key} {v['mean']:.5g}" for key, v in summary.items()))
    return {"rows": rows, "summary": summary}


def summarise(values):
    return {"mean": float(np.mean(values)), "median": float(np.median(values))}


def measure(seed, setting):
    truth_key, data_key, fit_key, pair_key = jax.random.split(jax.random.key(seed), 4)
    truth = truth_of(truth_key, setting)
    data = simulate(data_key, truth, train=setting.rows)
    train = dict(enumerate(np.asarray(data.train)))
    unpaired = fit(fit_key, train, k=setting.k, engine=setting.mixing)
    row = {"seed": seed, "unpaired": error(unpaired, data)}
    row["best of candidates"] = min(model_error(c.model, data) for c in unpaired.candidates)
    for noise in NOISES:
        for count in COUNTS:
            pairs = draw_pairs(pair_key, truth, data, count, noise)
            start = time.perf_counter()
            result = refine_with_pairs(fit_key, unpaired, train, pairs)
            row[f"{count} pairs, noise {noise}"] = error(result, data)
            row[f"seconds {count}, noise {noise}"] = time.perf_counter() - start
            if count == 50 and noise:
                row["coverage"] = covered(pair_key, truth, data, result, noise)
    return row


def truth_of(key, setting):
    truth = simulated_truth(key, M, DOMAINS, CHANGED)
    mixing = truth.mixing
    if setting.mixing == "linear":
        affine = mixing.bijections[1]
        mixing = linear(affine.matrix, affine.offset)
    logs = setting.scales * np.asarray(jax.random.normal(jax.random.fold_in(key, 1), (DOMAINS, M)))
    logs[:, [j for j in range(M) if j not in CHANGED]] = 0
    parts = zip(truth.scms, np.exp(logs), strict=True)
    return ILD(mixing, [LinearSCM(f.weights, jnp.asarray(s, float), f.bias) for f, s in parts])


def draw_pairs(key, truth, data, count, noise, stream=0):
    shares = np.diff(np.linspace(0, count, DOMAINS + 1).round().astype(int))
    return [
        draw(jax.random.fold_in(key, 10 * stream + d), truth, data, d, int(n), noise)
        for d, n in enumerate(shares)
    ]


def draw(key, truth, data, d, count, noise):
    x_key, noise_key = jax.random.split(key)
    e = (d + 1) % DOMAINS
    x = truth.sample(x_key, count, d=d)
    unit = np.asarray(data.train[e]).std(axis=0)
    error = noise * unit * np.asarray(jax.random.normal(noise_key, x.shape))
    return Pairs(d, e, np.asarray(x), np.asarray(truth.move(x, d=d, d_prime=e)) + error)


def covered(key, truth, data, result, noise, times=20):
    """The share of truths inside the intervals, over columns, new pairs and draws of the pairs."""
    shares = []
    for i in range(1, times + 1):
        known, new = (
            draw(jax.random.fold_in(key, 1_000 * i + j), truth, data, 0, count, noise)
            for j, count in enumerate((30, 200))
        )
        predicted, widths = answers(result, known)
        found = calibrate(predicted, known.x_target, level=LEVEL, scale=widths)
        predicted, widths = answers(result, new)
        low, high = found.around(predicted, widths)
        shares.append(((low <= new.x_target) & (new.x_target <= high)).mean())
    return float(np.mean(shares))


def answers(result, pairs):
    x = jnp.asarray(pairs.x_source)
    every = np.asarray(result.counterfactuals(x, d=pairs.source, d_prime=pairs.target))
    return every[0], np.ptp(every, axis=0)


def error(result, data):
    return model_error(result.model, data)


def model_error(model, data):
    return counterfactual_error(np.asarray(move_all(model, data.test)), data.counterfactuals)


def show(name, row):
    shown = {key: value for key, value in row.items() if not key.startswith(("seed", "seconds"))}
    text = "  ".join(f"{key} {value:.5f}" for key, value in shown.items())
    print(f"{name} seed {row['seed']}  {text}", flush=True)
    return row


if __name__ == "__main__":
    main()
