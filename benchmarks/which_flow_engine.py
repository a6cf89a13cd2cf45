"""Which engine should a user of mixing="real_nvp" get: `Flow`, or `Gradient`?

Small data sets like S7 of the paper: a RealNVP truth, the last two mechanisms intervened. Both fit
the same rows in one run; the ratios are flow to gradient. Errors are mean squared errors of the
counterfactuals against the truth. JSON on stdout.

    python benchmarks/which_flow_engine.py --seeds 2
"""

import argparse
import json
import os
import time

import jax
import numpy as np

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error
from elsewhere.fitting import Flow, Gradient, fit
from elsewhere.queries import move_all

ENGINES = {"gradient": Gradient(), "flow": Flow()}
SIZES = ((4, 2_000), (6, 5_000))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    seeds = range(parser.parse_args().seeds)
    cases = [case(seed, m, rows) for seed in seeds for m, rows in SIZES]
    ratios = {what: [c["flow"][what] / c["gradient"][what] for c in cases] for what in COMPARED}
    gains = [c["flow"]["held-out nats"] - c["gradient"]["held-out nats"] for c in cases]
    found = {"cores": os.cpu_count(), "load": os.getloadavg()[0], "cases": cases}
    print(json.dumps(found | {"flow to gradient": ratios, "nats gained": gains}, indent=1))


COMPARED = ("error", "seconds")


def case(seed, m, rows):
    truth_key, data_key, fit_key = jax.random.split(jax.random.key(seed), 3)
    truth = simulated_truth(truth_key, m, 3, (m - 2, m - 1), mixing="real_nvp")
    data = simulate(data_key, truth, train=rows)
    found = {name: judged(fit_key, engine, data) for name, engine in ENGINES.items()}
    return {"seed": seed, "m": m, "rows": rows} | found


def judged(key, engine, data):
    start = time.perf_counter()
    result = fit(key, np.asarray(data.train), k=2, engine=engine)
    seconds = time.perf_counter() - start
    answers = np.asarray(move_all(result.model, data.test))
    error = counterfactual_error(answers, np.asarray(data.counterfactuals))
    return {"error": error, "held-out nats": result.log_likelihood, "seconds": seconds}


if __name__ == "__main__":
    main()
