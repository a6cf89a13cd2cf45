"""Does the planted truth rank methods as the real one does?

python benchmarks/planted_truth.py --seeds 200-209 --rows 2000 --json out.json

On simulated data the real error of every method is known. The planted-truth check does not see it:
it simulates from the fitted model, fits again, and measures errors there. Printed are both errors,
Spearman's rank correlation over the methods, and the share of pairs of methods in the same order,
of all pairs and of those whose real errors differ by a tenth or more.
"""

import argparse
import json
from itertools import combinations
from pathlib import Path

import jax
import numpy as np
from scipy.stats import spearmanr

from elsewhere.baselines import BASELINES
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust.case import make_case
from elsewhere.trust.planted import OURS, planted_truth
from seeds import seed_range


def main():
    choices = arguments()
    rows = [show(measure(seed, choices)) for seed in choices.seeds]
    keys = ("spearman", "same_order", "same_order_if_apart", "same_best")
    summary = {key: float(np.mean([row[key] for row in rows])) for key in keys}
    print(json.dumps(summary))
    if choices.json:
        choices.json.write_text(json.dumps({"rows": rows, "summary": summary}, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seed_range, default=list(range(200, 210)))
    parser.add_argument("--m", type=int, default=6)
    parser.add_argument("--domains", type=int, default=3)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measure(seed, choices):
    truth_key, data_key = jax.random.split(jax.random.key(seed))
    truth = simulated_truth(truth_key, choices.m, choices.domains, {choices.m - 2, choices.m - 1})
    data = simulate(data_key, truth, train=choices.rows, test=500)
    x = np.asarray(data.train, float)
    X, labels = x.reshape(-1, choices.m), np.repeat(np.arange(len(x)), choices.rows)
    estimator = DomainCounterfactual(k=2, mixing="leaky", random_state=seed).fit(X, labels)
    real = real_errors(estimator, data, x)
    planted = planted_truth(make_case(estimator, X, labels, seed)).errors
    return {"seed": seed, "real": real, "planted": planted} | agreement(real, planted)


def real_errors(estimator, data, x):
    """In within-domain variances, as the planted ones are."""
    unit = np.sqrt(np.mean([rows.var(axis=0) for rows in x], axis=0))
    tests, truth = np.asarray(data.test, float), np.asarray(data.counterfactuals, float)
    pairs = [(d, e) for d in range(len(x)) for e in range(len(x)) if d != e]

    def error(move):
        return float(np.mean([(((move(d, e) - truth[d, e]) / unit) ** 2).mean() for d, e in pairs]))

    fitted = {name: kind().fit(dict(enumerate(x))) for name, kind in BASELINES.items()}
    errors = {
        name: error(lambda d, e, one=one: one.move(tests[d], d=d, d_prime=e))
        for name, one in fitted.items()
    }
    ours = error(lambda d, e: estimator.counterfactual(tests[d], source=d, target=e))
    return errors | {OURS: ours}


def agreement(real, planted):
    names = sorted(real)
    a, b = ([errors[name] for name in names] for errors in (real, planted))
    order = [
        ((a[i] < a[j]) == (b[i] < b[j]), abs(np.log(a[i] / a[j])) > np.log(1.1))
        for i, j in combinations(range(len(names)), 2)
    ]
    return {
        "spearman": float(spearmanr(a, b).statistic),
        "same_order": float(np.mean([same for same, _ in order])),
        "same_order_if_apart": float(np.mean([same for same, apart in order if apart])),
        "same_best": min(real, key=real.get) == min(planted, key=planted.get),
    }


def show(row):
    both = "  ".join(
        f"{name} {row['real'][name]:.3g}/{row['planted'][name]:.3g}" for name in row["planted"]
    )
    print(
        f"seed {row['seed']}  spearman {row['spearman']:.3f}  same order "
        f"{row['same_order']:.2f} (apart: {row['same_order_if_apart']:.2f})  {both}",
        flush=True,
    )
    return row


if __name__ == "__main__":
    main()
