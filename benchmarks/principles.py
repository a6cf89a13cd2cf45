"""Which principle, among equally likely models, comes closest to the truth?

python benchmarks/principles.py --seeds 20-29 --json out.json

m = 6, three domains, sparse truths, k = |I*|. `scales` has noise scales of the changed mechanisms
that change with the domain too (log-normal, deviation 0.7), where the principle of fewest changed
parameters has no warrant. Entries are mean counterfactual errors by

fewest      the fewest changed parameters by BIC: what `fit` prefers
likeliest   the highest log-likelihood on held-out rows
least       the least mean squared change of the rows, in deviations of the columns
consensus   the mean of all candidates' answers
best, worst of the candidates, known only where the truth is
"""

import argparse
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error
from elsewhere.fitting import fit
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.scm import LinearSCM
from seeds import seed_range

M, DOMAINS = 6, 3
SETTINGS = {
    "{1,2}": ((0, 1), 0.0),
    "{3,4}": ((2, 3), 0.0),
    "{5,6}": ((4, 5), 0.0),
    "{4,5,6}": ((3, 4, 5), 0.0),
    "{5,6} scales": ((4, 5), 0.7),
}
COLUMNS = ("fewest", "likeliest", "least", "consensus", "best", "worst")


def main():
    choices = arguments()
    print(f"{'I*':14}" + "".join(f"{name:>12}" for name in COLUMNS) + "  candidates")
    found = {name: [measure(seed, *SETTINGS[name]) for seed in choices.seeds] for name in SETTINGS}
    for name, rows in found.items():
        means = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
        numbers = "".join(f"{means[column]:12.2g}" for column in COLUMNS)
        print(f"{name:14}{numbers}  {means['candidates']:.1f}", flush=True)
        right = {c: sum(row[c] <= 1.1 * row["best"] + 1e-5 for row in rows) for c in COLUMNS[:4]}
        print(f"{'':14}as good as the best on " + ", ".join(f"{c} {n}" for c, n in right.items()))
    if choices.json:
        choices.json.write_text(json.dumps(found, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seed_range, default=range(20, 30), help="e.g. 20-29")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def measure(seed, changed, scales):
    truth_key, data_key, fit_key = jax.random.split(jax.random.key(seed), 3)
    truth = simulated_truth(truth_key, M, DOMAINS, changed, bias="sparse")
    truth = scaled(np.random.default_rng(seed), truth, changed, scales)
    data = simulate(data_key, truth)
    train, valid = np.asarray(data.train), np.asarray(data.valid)
    result = fit(fit_key, train, k=len(changed), engine="leaky", valid=valid)
    answers = np.stack([np.asarray(move_all(c.model, data.test)) for c in result.candidates])
    errors = [counterfactual_error(answer, data.counterfactuals) for answer in answers]
    unit = train.std(axis=(0, 1))
    moves = [(((a - np.asarray(data.test)[:, None]) / unit) ** 2).mean() for a in answers]
    return {
        "fewest": errors[0],
        "likeliest": errors[int(np.argmax([c.log_likelihood for c in result.candidates]))],
        "least": errors[int(np.argmin(moves))],
        "consensus": counterfactual_error(answers.mean(axis=0), data.counterfactuals),
        "best": min(errors),
        "worst": max(errors),
        "candidates": len(errors),
    }


def scaled(rng, truth, changed, spread):
    """The truth with the noise scales of its changed mechanisms drawn for every domain."""
    logs = np.zeros((DOMAINS, M))
    logs[:, list(changed)] = spread * rng.standard_normal((DOMAINS, len(changed)))
    parts = zip(truth.scms, np.exp(logs), strict=True)
    return ILD(
        truth.mixing, [LinearSCM(f.weights, jnp.asarray(s, float), f.bias) for f, s in parts]
    )


if __name__ == "__main__":
    main()
