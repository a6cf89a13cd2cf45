"""Through the command alone, CSV to CSV: the same error as the Python API?

python benchmarks/command_matches_python.py --seed 0 --rows 100000
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax
import numpy as np
import pandas as pd

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.estimators import DomainCounterfactual
from elsewhere.evaluation import counterfactual_error

M, DOMAINS, INTERVENED = 6, ("ash", "birch", "cedar"), (4, 5)
NAMES = [f"x{j}" for j in range(M)]


def main():
    choices = arguments()
    truth_key, data_key = jax.random.split(jax.random.key(choices.seed))
    truth = simulated_truth(truth_key, M, len(DOMAINS), INTERVENED)
    data = simulate(data_key, truth, train=choices.rows)
    with tempfile.TemporaryDirectory() as folder:
        report = {
            "command": through_the_command(Path(folder), data, choices),
            "python": through_python(Path(folder), choices, np.asarray(data.counterfactuals)),
        }
    print(json.dumps({"seed": choices.seed, "rows": choices.rows} | report, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=100_000, help="training rows per domain")
    parser.add_argument("--mixing", default="auto")
    parser.add_argument("--k", default="auto")
    return parser.parse_args()


def through_the_command(folder, data, choices):
    as_frame(data.train).to_csv(folder / "train.csv", index=False)
    as_frame(data.test).to_csv(folder / "test.csv", index=False)
    start = time.perf_counter()
    fitting = ["--domain", "site", "--k", choices.k, "--mixing", choices.mixing, "--json"]
    summary = run("fit", folder / "train.csv", "--out", folder / "m.model", *fitting)
    asking = ["--to", "all", "--out", folder / "answers.csv", "--json"]
    run("counterfactual", folder / "m.model", folder / "test.csv", *asking)
    answers = answers_of(pd.read_csv(folder / "answers.csv"))
    return {
        "error": counterfactual_error(answers, np.asarray(data.counterfactuals)),
        "seconds": round(time.perf_counter() - start, 1),
        "k": summary["k"],
        "mixing": summary["mixing"],
        "notes": summary["notes"],
    }


def through_python(folder, choices, truth):
    train, test = (pd.read_csv(folder / f"{name}.csv") for name in ("train", "test"))
    k = int(choices.k) if choices.k.isdigit() else choices.k
    estimator = DomainCounterfactual(k=k, mixing=choices.mixing).fit(train[NAMES], train["site"])
    moved = [
        estimator.counterfactual(test[NAMES], source=test["site"], target=d).assign(
            site=d, site_from=test["site"]
        )
        for d in DOMAINS
    ]
    return {"error": counterfactual_error(answers_of(pd.concat(moved)), truth)}


def as_frame(x):
    rows = np.asarray(x, float)
    site = np.repeat(DOMAINS, rows.shape[1])
    return pd.DataFrame(rows.reshape(-1, M), columns=NAMES).assign(site=site)


def answers_of(frame):
    """[D, D, n, m] by source and target."""
    return np.stack(
        [
            [frame[(frame["site_from"] == d) & (frame["site"] == e)][NAMES] for e in DOMAINS]
            for d in DOMAINS
        ]
    )


def run(*arguments):
    code = "from elsewhere.cli import main; main()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
