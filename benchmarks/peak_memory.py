"""How much memory do `fit` and `counterfactual` take at their peak?

python benchmarks/peak_memory.py --out results/benchmarks/peak_memory.json

A CSV file of two domains is written once; each command then reads it in a process of its own. Given
are the largest resident memory of that process, as the system counts it, and that of a process that
only imports what the commands import.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from elsewhere.experiments.provenance import provenance

IMPORTS = "import elsewhere.cli.table_kind"


def main():
    choices = arguments()
    if choices.write:  # in a process of its own: what starts a command counts for its peak
        write(choices.write, choices.rows, choices.columns)
        return
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "d.csv"
        subprocess.run([sys.executable, *sys.argv, "--write", data], check=True)
        rows = [measure(name, command) for name, command in commands(data).items()]
        size = data.stat().st_size / 1e6
    answer = {
        "made_by": provenance(" ".join(["python", "benchmarks/peak_memory.py", *sys.argv[1:]])),
        "table": {
            "rows": choices.rows,
            "columns": choices.columns,
            "megabytes_of_csv": round(size, 1),
            "megabytes_of_numbers": round(choices.rows * choices.columns * 8 / 1e6, 1),
        },
        "commands": rows,
    }
    if choices.out is not None:
        choices.out.parent.mkdir(parents=True, exist_ok=True)
        choices.out.write_text(json.dumps(answer, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--out", type=Path, help="a JSON file")
    parser.add_argument("--write", type=Path, help="only write the table there")
    return parser.parse_args()


def write(path, rows, columns):
    x = np.random.default_rng(0).standard_normal((rows, columns))
    x[rows // 2 :] += 0.5
    table = {f"c{j}": np.round(x[:, j], 6) for j in range(columns)}
    table["site"] = np.where(np.arange(rows) < rows // 2, "north", "south")
    pa_csv.write_csv(pa.table(table), path)


def commands(data):
    model, out = data.with_name("a.model"), data.with_name("o.csv")
    run = [sys.executable, "-m", "elsewhere"]
    fit = [*run, "fit", data, "--domain", "site", "--mixing", "moments", "--out", model]
    move = [*run, "counterfactual", model, data, "--to", "north", "--out", out]
    return {"imports": [sys.executable, "-c", IMPORTS], "fit": fit, "counterfactual": move}


def measure(name, command):
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    row = {
        "command": name,
        "exit_code": os.waitstatus_to_exitcode(status),
        "megabytes_at_peak": round(used.ru_maxrss * 1024 / 1e6, 1),
        "seconds": round(time.perf_counter() - begin, 1),
        "seconds_of_a_core": round(used.ru_utime + used.ru_stime, 1),
    }
    print(json.dumps(row), flush=True)
    return row


if __name__ == "__main__":
    main()
