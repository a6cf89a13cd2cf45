"""How does the time of a fit grow with m, the domains, the rows and the starts?

python benchmarks/scaling.py [--only m domains rows starts] [--most 16]

One thing varies at a time around m = 6, D = 3, 10,000 rows per domain, 32 starts, the last two
mechanisms changing; each line is a fit with compilation, and the same again without: by the clock,
and in seconds of a core, which other work on the machine does not lengthen.
"""

import argparse
import os
import time
from dataclasses import replace

import jax
import numpy as np

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error
from elsewhere.fitting import Options, Profile, fit
from elsewhere.queries import move_all

BASE = {"m": 6, "domains": 3, "rows": 10_000, "starts": 32}
GRID = {
    "m": (4, 8, 16, 32),
    "domains": (2, 10, 50),
    "rows": (1_000, 10_000, 100_000, 1_000_000),
    "starts": (8, 32, 128),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=list(GRID), default=list(GRID))
    parser.add_argument("--most", type=int, default=10**9, help="leave out larger values")
    chosen = parser.parse_args()
    print(f"cores {os.cpu_count()}, load {os.getloadavg()[0]:.1f}")
    print("varied   value    first s   again s   a core's  error    nothing's error")
    for name in chosen.only:
        for value in (value for value in GRID[name] if value <= chosen.most):
            first, again, core, error, nothing = measure(BASE | {name: value})
            numbers = f"{first:7.1f}  {again:7.1f}  {core:7.1f}  {error:9.2g}  {nothing:9.2g}"
            print(f"{name:8} {value:8}  {numbers}", flush=True)


def measure(case):
    m = case["m"]
    truth = simulated_truth(jax.random.key(1), m, case["domains"], (m - 2, m - 1), bias="sparse")
    data = simulate(jax.random.key(2), truth, train=case["rows"], valid=1_000, test=500)
    options = replace(Options(), starts=case["starts"])
    train, valid = np.asarray(data.train), np.asarray(data.valid)
    work = lambda: fit(jax.random.key(0), train, k=2, valid=valid, engine=Profile(options=options))  # noqa: E731
    (_, first, _), (result, again, core) = timed(work), timed(work)
    answers, truth = np.asarray(move_all(result.model, data.test)), np.asarray(data.counterfactuals)
    unmoved = np.broadcast_to(np.asarray(data.test)[:, None], truth.shape)
    errors = counterfactual_error(answers, truth), counterfactual_error(unmoved, truth)
    return first, again, core, *errors


def timed(work):
    start, core = time.perf_counter(), time.process_time()
    return work(), time.perf_counter() - start, time.process_time() - core


if __name__ == "__main__":
    main()
