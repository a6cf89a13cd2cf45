"""How long does a new process take: to import, to fit for the first time on a machine, and again?

python benchmarks/cold_start.py --times 5 --out results/benchmarks/cold_start.json

Ratios in one run, each the median of fresh processes: importing the estimator against importing
JAX; `elsewhere fit` of 15,000 × 6 with nothing compiled before, then with all of it kept, against
importing JAX, pandas, pyarrow and scikit-learn. One table differs by an offset, which needs no
compiled program; one in a mechanism, which is searched for; and one in a mechanism behind kinks,
which takes the longest search and what it compiles. `--clock cpu` where other work shares the
machine.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from report_file import show_and_keep

DOMAINS, ROWS, COLUMNS = ("a", "b", "c"), 5_000, 6
COMMAND = "from elsewhere.cli import main; main()"
CLOCKS = {
    "elapsed": time.perf_counter,
    "cpu": lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]),  # of all cores together
}
CLOCK = []
IMPORTS = {
    "import jax": "import jax",
    "from elsewhere import DomainCounterfactual": "from elsewhere import DomainCounterfactual",
    "import jax, pandas, pyarrow, sklearn": "import jax, pandas, pyarrow, sklearn",
}


def main():
    asked = arguments()
    times, found = asked.times, {"load": round(os.getloadavg()[0], 2), "clock": asked.clock}
    CLOCK[:] = [CLOCKS[asked.clock]]
    seconds = {name: median(fresh(times, code)) for name, code in IMPORTS.items()}
    seconds["elsewhere --help"] = median(fresh(times, COMMAND, "--help"))
    with tempfile.TemporaryDirectory() as folder:
        tables = {"offsets": offsets(), "mechanisms": mechanisms(), "kinks": mechanisms(0.5)}
        for name, rows in tables.items():
            seconds |= {f"fit, {name}, {k}": v for k, v in fits(Path(folder), rows, times).items()}
    jax, all_four = seconds["import jax"], seconds["import jax, pandas, pyarrow, sklearn"]
    ratios = {
        "import, against jax": seconds["from elsewhere import DomainCounterfactual"] / jax,
    } | {
        f"fit with {name}, afterwards, against imports": seconds[f"fit, {name}, after"] / all_four
        for name in tables
    }
    found["seconds"] = {name: round(value, 2) for name, value in seconds.items()}
    found["ratios"] = {name: round(value, 2) for name, value in ratios.items()}
    show_and_keep(found, asked.out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--clock", choices=list(CLOCKS), default="elapsed")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def fresh(times, code, *given, **variables):
    """The seconds of so many new processes, after one that fills the disk's cache."""
    return [timed(code, *given, **variables) for _ in range(times + 1)][1:]


def timed(code, *given, **variables):
    start = CLOCK[0]()
    subprocess.run(
        [sys.executable, "-c", code, *map(str, given)],
        env=os.environ | variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return CLOCK[0]() - start


def fits(folder, rows, times):
    """Seconds of the first fit with an empty cache, and of those that follow."""
    table, cache = folder / "rows.csv", tempfile.mkdtemp(dir=folder)
    frame = pd.DataFrame(rows, columns=[f"x{j}" for j in range(COLUMNS)])
    frame.assign(site=np.repeat(DOMAINS, ROWS)).to_csv(table, index=False)
    given = "fit", table, "--domain", "site", "--force", "--out", folder / "rows.model"
    first = timed(COMMAND, *given, ELSEWHERE_COMPILED=cache)
    after = [timed(COMMAND, *given, ELSEWHERE_COMPILED=cache) for _ in range(times)]
    return {"first": first, "after": median(after)}


def offsets():
    """Normal rows whose domains differ by an offset."""
    rows = np.random.default_rng(0).standard_normal((len(DOMAINS) * ROWS, COLUMNS))
    return rows + 0.5 * np.repeat(np.arange(len(DOMAINS)), ROWS)[:, None]


def mechanisms(slope=1.0):
    """x = A LeakyReLU(z), z_j = Σ L_ji z_i + s_j ε_j + c_j, whose last differs between domains."""
    rng = np.random.default_rng(0)
    mixing = rng.standard_normal((COLUMNS, COLUMNS))
    weights = 0.5 * np.tril(rng.standard_normal((COLUMNS, COLUMNS)), -1)
    tables = []
    for d in range(len(DOMAINS)):
        own = weights * np.where(np.arange(COLUMNS) == COLUMNS - 1, 1 + d, 1)[:, None]
        eps = rng.standard_normal((ROWS, COLUMNS))
        eps[:, -1] = (1 + d) * eps[:, -1] + d
        z = np.linalg.solve(np.eye(COLUMNS) - own, eps.T).T
        tables.append(np.where(z < 0, slope * z, z) @ mixing.T)
    return np.concatenate(tables)


if __name__ == "__main__":
    main()
