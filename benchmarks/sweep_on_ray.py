"""Are the rows of a sweep the same here, on Ray with two nodes, and with a node that is killed?

python benchmarks/sweep_on_ray.py --rows 2000 --out results/benchmarks/sweep_on_ray.json

`reproduce S1 --quick` three times: by itself; on a cluster of two nodes, which this starts; and on
one whose second node is killed when the first row has arrived. Rows must be equal but for seconds.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from ray.cluster_utils import Cluster

from report_file import show_and_keep

NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20}
COMMAND = "from elsewhere.cli import main; main()"
DIFFER = "seconds"  # the column that no two runs share


def main():
    asked = arguments()
    with tempfile.TemporaryDirectory() as folder:
        found = {"here": finish(sweep(asked, Path(folder) / "here"))}
        for name in ("two nodes", "a node killed"):
            found[name] = on_cluster(asked, Path(folder) / name, kill=name == "a node killed")
        tables = {name: rows_of(Path(folder) / name) for name in found}
    report = {"rows": len(tables["here"]), "seconds": found} | {
        f"{name}: equal": bool(table.equals(tables["here"])) for name, table in tables.items()
    }
    show_and_keep(report, asked.out, range(asked.seeds))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=None, help="training rows per domain")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--patience", type=int, default=5, help="how often a cluster may start")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def sweep(asked, folder, *more):
    words = ["reproduce", "S1", "--quick", "--out", str(folder), "--seeds", str(asked.seeds)]
    words += [] if asked.rows is None else ["--rows", str(asked.rows)]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words, *more], stdout=subprocess.DEVNULL
    )


def finish(run):
    start = time.perf_counter()
    if code := run.wait():
        raise SystemExit(f"a sweep ended with code {code}")
    return round(time.perf_counter() - start, 1)


def on_cluster(asked, folder, *, kill):
    """Seconds of the sweep on two nodes, the second of which may die with its first task."""
    cluster, second = two_nodes(asked.patience)
    try:
        run = sweep(asked, folder, "--on", "ray", "--address", cluster.address)
        if kill:
            while run.poll() is None and not any(folder.rglob("*.json")):
                time.sleep(0.2)
            cluster.remove_node(second, allow_graceful=False)
        return finish(run)
    finally:
        cluster.shutdown()


def two_nodes(patience):
    """A cluster of two nodes, and the second of them.

    Ray gives a node half a minute to start, whatever else the machine does: then it starts anew.
    """
    for left in reversed(range(patience)):
        cluster = Cluster()
        try:
            cluster.add_node(**NODE, include_dashboard=False)
            return cluster, cluster.add_node(**NODE)
        except Exception:
            cluster.shutdown()
            if not left:
                raise
    raise SystemExit("--patience must be at least 1")


def rows_of(folder):
    """The kept rows, without what no two runs share, in one order."""
    (path,) = folder.rglob("rows.csv")
    table = pd.read_csv(path).drop(columns=DIFFER)
    return table.sort_values(list(table.columns), ignore_index=True)


if __name__ == "__main__":
    main()
