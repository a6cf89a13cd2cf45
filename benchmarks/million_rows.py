"""How long do a million rows take, and how much memory? Parquet to Parquet, through the command.

python benchmarks/million_rows.py --rows 1000000 --columns 10
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jax
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Options

DOMAINS = ("north", "south", "west")
QUICK = Options(starts=2, steps=4, parents=1, rounds=0, polish_steps=1, classes=2)


def main():
    choices = arguments()
    with tempfile.TemporaryDirectory() as folder:
        model, data, out = (
            Path(folder) / name for name in ("m.model", "in.parquet", "out.parquet")
        )
        prepare(model, data, choices.rows, choices.columns)
        report = measure(model, data, out)
    report |= {"rows": choices.rows, "columns": choices.columns, "cores": os.cpu_count()}
    print(json.dumps(report, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=10)
    return parser.parse_args()


def prepare(model, data, rows, m):
    """A leaky model of some of the rows, roughly fitted, and a file with all of them."""
    keys = jax.random.split(jax.random.key(0))
    truth = simulated_truth(keys[0], m, len(DOMAINS), {m - 2, m - 1})
    each = -(-rows // len(DOMAINS))
    x = np.asarray(simulate(keys[1], truth, train=each).train, float)
    names, domains = [f"x{j}" for j in range(m)], np.repeat(DOMAINS, each)[:rows]
    table = pa.table(dict(zip(names, x.reshape(-1, m)[:rows].T, strict=True)))
    pq.write_table(table.append_column("site", pa.array(domains)), data)
    some = np.concatenate([np.arange(500) + i * each for i in range(len(DOMAINS))])
    frame = table.take(some).to_pandas()
    estimator = DomainCounterfactual(k=2, mixing="leaky", options=QUICK)
    estimator.fit(frame, pd.Series(domains[some], name="site"))
    estimator.save(model)


def measure(model, data, out):
    code = "from elsewhere.cli import main; main()"
    arguments = ["counterfactual", model, data, "--to", DOMAINS[0], "--out", out, "--json"]
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert pq.ParquetFile(out).metadata.num_rows == json.loads(run.stdout)["rows"]
    return {
        "seconds": round(seconds, 2),
        "seconds_inside": json.loads(run.stdout)["seconds"],
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_mib": round(used.ru_maxrss / 1024),
        "in_mib": round(data.stat().st_size / 2**20, 1),
        "out_mib": round(out.stat().st_size / 2**20, 1),
    }


if __name__ == "__main__":
    main()
