"""Does memory stay flat, and compilation stop, over many fits in one process?

python benchmarks/long_life.py --fits 500 --out results/benchmarks/long_life.json

Every fit has another number of rows. `moments` compiles nothing; `leaky` compiles for every size of
its rows. Given are the resident memory after a warm-up and at the
end, and the seconds of the first and the last tenth of the fits. What a run of --seconds did not
reach is left out, and said.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance
from elsewhere.fitting import Options

SMALL = Options(starts=4, steps=4, parents=1, rounds=0, polish_steps=1, classes=2)
SETTINGS = {"moments": {}, "leaky": {"k": 1, "options": SMALL}}


def main():
    choices = arguments()
    warnings.simplefilter("ignore")
    rows = [measure(mixing, choices.fits, choices.seconds) for mixing in choices.mixings]
    for row in rows:
        print(json.dumps(row))
    if choices.out:
        made_by = provenance(" ".join(["python", "benchmarks/long_life.py", *sys.argv[1:]]))
        choices.out.parent.mkdir(parents=True, exist_ok=True)
        choices.out.write_text(json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=500)
    parser.add_argument("--mixings", nargs="+", default=[*SETTINGS])
    parser.add_argument("--seconds", type=float, default=240.0, help="at most, for each mixing")
    parser.add_argument("--out", type=Path, help="a JSON file")
    return parser.parse_args()


def measure(mixing, fits, seconds):
    """Fits to tables of 200 to 400 rows per domain, no two alike until 200 have been."""
    rng, start = np.random.default_rng(0), time.monotonic()
    counts = 200 + np.concatenate([rng.permutation(200) for _ in range(fits // 200 + 1)])[:fits]
    took, memory = [], []
    for n in counts.tolist():
        if time.monotonic() - start > seconds:
            break
        before = time.perf_counter()
        fit_once(mixing, rng, n)
        took.append(time.perf_counter() - before)
        memory.append(resident())
    tenth, done = max(1, len(took) // 10), len(took)
    return {
        "mixing": mixing,
        "fits": done,
        "row_counts": len({*counts.tolist()[:done]}),
        "seconds_first_tenth": round(float(np.mean(took[:tenth])), 3),
        "seconds_last_tenth": round(float(np.mean(took[-tenth:])), 3),
        "megabytes_after_half": round(memory[done // 2], 1),
        "megabytes_at_end": round(memory[-1], 1),
    }


def fit_once(mixing, rng, n):
    x = rng.standard_normal((2 * n, 3)) ** 3
    x[n:] += 1
    DomainCounterfactual(mixing=mixing, **SETTINGS[mixing]).fit(x, np.repeat([0, 1], n))


def resident():
    """Megabytes of this process in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    main()
