"""How long does a table with far more columns than rows take, and how much memory?

python benchmarks/wide_tables.py --shapes 116x5147 500x20000

Normal rows of two domains whose offsets differ: `affine_map` alone, then `elsewhere fit` on the
same rows as Parquet and as CSV, each in a process of its own.
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
import pandas as pd

DOMAINS = ("north", "south")
BARE = """
import json, sys, time
import numpy as np
from elsewhere.fitting.moments.estimate import affine_map
rows = np.load(sys.argv[1])
half = len(rows) // 2
start = time.perf_counter()
affine_map({"north": rows[:half], "south": rows[half:]})
print(json.dumps({"seconds": time.perf_counter() - start}))
"""
COMMAND = "from elsewhere.cli import main; main()"


def main():
    found = {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2)}
    for rows, columns in arguments().shapes:
        with tempfile.TemporaryDirectory() as folder:
            found[f"{rows} x {columns}"] = measured(Path(folder), rows, columns)
    print(json.dumps(found, indent=1))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", type=shape, nargs="+", default=[(116, 5_147), (500, 20_000)])
    return parser.parse_args()


def shape(text):
    rows, columns = text.split("x")
    return int(rows), int(columns)


def measured(folder, rows, columns):
    """Seconds inside the process, seconds in all, and the peak of its memory."""
    prepare(folder, rows, columns)
    asked = ["--domain", "site", "--json", "--out"]
    return {"affine_map": run(BARE, folder / "rows.npy")} | {
        f"elsewhere fit, {kind}": run(
            COMMAND, "fit", folder / f"rows.{kind}", *asked, folder / f"{kind}.model"
        )
        for kind in ("parquet", "csv")
    }


def prepare(folder, rows, columns):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, columns))
    x[rows // 2 :] += 0.5 * rng.standard_normal(columns)
    np.save(folder / "rows.npy", x)
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(columns)])
    frame["site"] = np.repeat(DOMAINS, [rows // 2, rows - rows // 2])
    frame.to_parquet(folder / "rows.parquet")
    frame.to_csv(folder / "rows.csv", index=False)


def run(code, *given):
    start = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", code, *map(str, given)], stdout=subprocess.PIPE)
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise RuntimeError(f"{given} ended with status {status}.")
    return {
        "seconds_inside": round(json.loads(said)["seconds"], 2),
        "seconds": round(seconds, 2),
        "peak_mib": round(used.ru_maxrss / 1024),
    }


if __name__ == "__main__":
    main()
