"""How fast to the truth? Time to within 0.03 nats, against the paper's recipe, in one run.

python benchmarks/speed.py --seeds 3

On each data set (m = 6, D = 3, I* = {5,6}, 100,000 rows): `fit` and the paper's recipe (50,000
steps, alone and with all data sets at once), each with its seconds and how far its validation
likelihood ends below the true model's; the search's steps per second (L-BFGS, 3,000 rows) with one
start and with 32; then the time to move 1,000,000 rows.
"""

import argparse
import json
import os
import time

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import fit
from elsewhere.fitting.paper import fit_paper_many
from elsewhere.fitting.profile.axes.climb import climb
from elsewhere.fitting.profile.axes.moves import random_starts
from elsewhere.fitting.profile.axes.population import dense
from elsewhere.fitting.profile.axes.replaced import MUTATE
from elsewhere.fitting.profile.options import DEFAULT
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.queries import log_prob_rows

STEPS = 50_000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    sets = [data_set(seed) for seed in range(seeds)]
    found = {"cores": os.cpu_count(), "load": os.getloadavg()[0]}
    found["fit"] = [one_fit(seed, data) for seed, data in enumerate(sets)]
    found["recipe alone"] = one_recipe(sets[0])
    found["recipe together"] = recipes(sets)
    found["search"] = {starts: search(sets[0], starts) for starts in (1, DEFAULT.starts)}
    found["million rows"] = million(sets[0])
    print(json.dumps(found, indent=1))


def data_set(seed):
    truth_key, data_key = jax.random.split(jax.random.key(seed))
    truth = simulated_truth(truth_key, 6, 3, (4, 5), bias="printed")
    return simulate(data_key, truth)


def one_fit(seed, data):
    train, valid = np.asarray(data.train), np.asarray(data.valid)
    result, seconds = timed(
        lambda: fit(jax.random.key(seed), train, k=2, engine="leaky", valid=valid)
    )
    return {"seconds": seconds, "nats below the truth": gap(data, result.model)}


def one_recipe(data):
    train, valid = np.asarray(data.train), np.asarray(data.valid)
    result, seconds = timed(lambda: fit(jax.random.key(0), train, k=2, engine="paper", valid=valid))
    return {
        "seconds": seconds,
        "steps per second": STEPS / seconds,
        "nats below the truth": gap(data, result.model),
    }


def recipes(sets):
    keys = jax.random.split(jax.random.key(0), len(sets))
    train, valid = (
        np.stack([np.asarray(part(data)) for data in sets])
        for part in (lambda data: data.train, lambda data: data.valid)
    )
    results, seconds = timed(lambda: fit_paper_many(keys, train, valid, 2))
    gaps = [gap(data, result.model) for data, result in zip(sets, results, strict=True)]
    return {
        "seconds": seconds,
        "fits x steps per second": STEPS * len(sets) / seconds,
        "nats below the truth": gaps,
    }


def search(data, starts):
    """Starts × steps per second of one climb of the search, compiled."""
    train, valid = ({d: rows[d] for d in range(len(rows))} for rows in arrays(data))
    problem = make_problem(train, valid, 0.5, DEFAULT)
    stack = random_starts(np.random.default_rng(0), starts, problem.m)
    rows = problem.some(DEFAULT.explore_rows)
    work = lambda: climb(stack, rows, dense(stack), problem.kink, MUTATE, DEFAULT.steps)  # noqa: E731
    timed(work)
    return {"starts x steps per second": starts * len(MUTATE) * DEFAULT.steps / timed(work)[1]}


def arrays(data):
    return np.asarray(data.train), np.asarray(data.valid)


def million(data):
    x = jnp.tile(data.train[0], (10, 1))
    move = lambda: jax.block_until_ready(data.truth.move(x, d=0, d_prime=1))  # noqa: E731
    first, again = timed(move)[1], timed(move)[1]
    return {"rows": len(x), "seconds": again, "seconds with compilation": first}


def gap(data, model):
    """Mean over domains of the mean difference on the validation rows."""
    differences = [
        log_prob_rows(data.truth, rows, d=d).mean() - log_prob_rows(model, rows, d=name).mean()
        for d, (name, rows) in enumerate(zip(model.domains, data.valid, strict=True))
    ]
    return float(np.mean(differences))


def timed(work):
    start = time.perf_counter()
    return work(), time.perf_counter() - start


if __name__ == "__main__":
    main()
