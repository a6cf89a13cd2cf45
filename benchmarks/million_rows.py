"""How long do many rows take, and how much memory? Through the command, against pyarrow itself.

python benchmarks/million_rows.py --rows 1000000 --columns 10
python benchmarks/million_rows.py --rows 50000000 --files 50 --formats parquet
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jax
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Options
from report_file import show_and_keep

DOMAINS = ("north", "south", "west")
QUICK = Options(starts=2, steps=4, parents=1, rounds=0, polish_steps=1, classes=2)
SETTINGS = {
    "moments": {"mixing": "moments"},
    "leaky": {"k": 2, "mixing": "leaky", "options": QUICK},
}
BLOCK = 1_000_000  # rows that are drawn, and repeated where more are asked for
RUN = """
import json, resource, sys, time
start = time.perf_counter()
{code}
used = resource.getrusage(resource.RUSAGE_SELF)
status = open("/proc/self/status").read()  # unlike getrusage, it does not count the parent
peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
out = {{"seconds": time.perf_counter() - start, "mib": peak}}
out["cpu"] = used.ru_utime + used.ru_stime
print("MEASURED" + json.dumps(out))
"""
COPY = {
    "parquet": """
import pyarrow.parquet as pq
from pathlib import Path
for one in sorted(Path(sys.argv[1]).glob("*")):
    pq.write_table(pq.read_table(one), sys.argv[2] + "/" + one.name)
""",
    "csv": """
import pyarrow.csv as csv
from pathlib import Path
for one in sorted(Path(sys.argv[1]).glob("*")):
    csv.write_csv(csv.read_csv(one), sys.argv[2] + "/" + one.name)
""",
}
COMMAND = """
from elsewhere.cli import main
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""


def main():
    asked = arguments()
    report = {"rows": asked.rows, "columns": asked.columns, "files": asked.files}
    report |= {"load": round(os.getloadavg()[0], 2)}
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        place = Path(folder)
        block = draw(min(asked.rows, BLOCK), asked.columns)
        models = fit_models(block, place, asked.models.split(","))
        for form in asked.formats.split(","):
            data = place / form
            write(block, data, form, asked.rows, asked.files)
            report[form] = measure(models, data, place, form, asked.rows)
            shutil.rmtree(data)
    show_and_keep(report, asked.out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--formats", default="parquet,csv")
    parser.add_argument("--models", default="moments,leaky")
    parser.add_argument("--folder", help="where the files are made")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def draw(rows, m):
    """Rows of a leaky model in random order, with their sites."""
    keys = jax.random.split(jax.random.key(0))
    truth = simulated_truth(keys[0], m, len(DOMAINS), {m - 2, m - 1})
    each = -(-rows // len(DOMAINS))
    x = np.asarray(simulate(keys[1], truth, train=each).train, float).reshape(-1, m)[:rows]
    frame = pd.DataFrame(np.round(x, 6), columns=[f"x{j}" for j in range(m)])
    frame["site"] = np.repeat(DOMAINS, each)[:rows]
    return frame.sample(frac=1, random_state=0, ignore_index=True)


def fit_models(frame, folder, names):
    """A map by moments, and a leaky model, roughly fitted, of some of the rows."""
    some, found = frame.iloc[:1500], {}
    for name in names:
        estimator = DomainCounterfactual(**SETTINGS[name]).fit(
            some.drop(columns="site"), some["site"]
        )
        found[name] = estimator.save(folder / f"{name}.model")
    return found


def write(block, folder, form, rows, files):
    folder.mkdir()
    each = rows // files
    for i in range(files):
        repeated = pa.Table.from_pandas(block, preserve_index=False)
        table = pa.concat_tables([repeated] * (each // len(block) + 1)).slice(0, each)
        name = f"{i:04d}.{form}"
        (pq.write_table if form == "parquet" else pa_csv.write_csv)(table, folder / name)


def measure(models, data, place, form, rows):
    """Seconds and memory of the command with each model, and as multiples of pyarrow's."""
    copied = place / "copied"
    copied.mkdir()
    base = run(COPY[form], data, copied)
    shutil.rmtree(copied)
    report = {"mib_of_files": round(sum(f.stat().st_size for f in data.iterdir()) / 2**20)}
    report["pyarrow"] = base
    start = run("import elsewhere.cli.table_kind")
    report["imports"] = start
    for name, model in models.items():
        out = place / "out"
        asked = ("counterfactual", model, data, "--to", "north", "--out", out, "--json")
        found = run(COMMAND, *asked)
        inside = found["seconds"] - start["seconds"]
        report[name] = found | {
            "times_pyarrow": round(found["seconds"] / base["seconds"], 2),
            "times_pyarrow_without_imports": round(inside / base["seconds"], 2),
            "times_pyarrow_cpu": round(found["cpu"] / base["cpu"], 2),
            "rows_per_second": round(rows / found["seconds"]),
        }
        shutil.rmtree(out)
    return report


def run(code, *arguments):
    command = [sys.executable, "-c", RUN.format(code=code), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    line = next(line for line in done.stdout.splitlines() if line.startswith("MEASURED"))
    return {name: round(value, 2) for name, value in json.loads(line[8:]).items()}


if __name__ == "__main__":
    main()
