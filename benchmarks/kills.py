"""Is anything lost or half-written when a command is killed at a random moment?

python benchmarks/kills.py --kills 50 --out results/benchmarks/kills.json

Each command runs once undisturbed, and then again and again until a signal (SIGKILL, SIGTERM or
SIGHUP in turn) comes at a random moment of its time. The file that it replaces must be the old one
or the new one, whole; after SIGTERM and SIGHUP nothing else may be left, and what SIGKILL leaves
behind must be gone after the next run. `reproduce` goes on where it was killed: in the end its rows
must be those of a run that nobody disturbed, to the byte.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.experiments.provenance import provenance

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
OLD = b"old and whole"
SWEEP = ["reproduce", "S1", "--quick", "--rows", "500", "--seeds", "1", "--jobs", "2"]


def main():
    choices = arguments()
    with tempfile.TemporaryDirectory() as folder:
        rows = [kill(name, Path(folder), choices) for name in choices.commands]
    if choices.out:
        made_by = provenance(" ".join(["python", "benchmarks/kills.py", *sys.argv[1:]]))
        choices.out.parent.mkdir(parents=True, exist_ok=True)
        choices.out.write_text(json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument(
        "--commands",
        nargs="+",
        default=["fit", "counterfactual", "report", "reproduce"],
    )
    parser.add_argument("--seconds", type=float, default=280.0, help="at most, in all")
    parser.add_argument("--out", type=Path, help="a JSON file")
    parser.set_defaults(start=time.monotonic())
    return parser.parse_args()


def kill(name, folder, choices):
    prepare(folder)
    command, out = commands(folder)[name]
    begin = time.monotonic()
    run(command).wait()
    took, new = time.monotonic() - begin, out.read_bytes()
    rng = np.random.default_rng(0)
    found = {"command": name, "kills": 0, "lost": 0, "parts_left": 0, "parts_never_removed": 0}
    while found["kills"] < choices.kills and time.monotonic() - choices.start < choices.seconds:
        if name != "reproduce":
            out.write_bytes(OLD)
        number = SIGNALS[found["kills"] % len(SIGNALS)]
        end(run(command), rng.uniform(0, took), number)
        found["kills"] += 1
        found["lost"] += out.exists() and out.read_bytes() not in (OLD, new)
        found["parts_left"] += number != signal.SIGKILL and len(parts(folder))
    run(command).wait()
    found["parts_never_removed"] = len(parts(folder))
    found["equal_in_the_end"] = out.read_bytes() == new
    print(json.dumps(found), flush=True)
    return found


def prepare(folder):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 4))
    x[1000:] += 1
    frame = pd.DataFrame(x, columns=[*"abcd"]).assign(site=np.repeat(["north", "south"], 1000))
    frame.to_csv(folder / "d.csv", index=False)
    if not (folder / "a.model").exists():
        run(fit(folder, "a.model")).wait()


def fit(folder, name):
    given = ["--domain", "site", "--mixing", "moments", "--force"]
    return ["fit", str(folder / "d.csv"), *given, "--out", str(folder / name)]


def commands(folder):
    """Name: (arguments, the file that must be old or new)."""
    model, data = str(folder / "a.model"), str(folder / "d.csv")
    moved, page, sweep = folder / "o.csv", folder / "r.html", folder / "sweep"
    to = ["--to", "south", "--out", str(moved), "--force"]
    shown = ["--no-planted", "--out", str(page), "--force"]
    return {
        "fit": (fit(folder, "b.model"), folder / "b.model"),
        "counterfactual": (["counterfactual", model, data, *to], moved),
        "report": (["report", model, data, *shown], page),
        "reproduce": ([*SWEEP, "--out", str(sweep)], sweep / "S1" / "rows.csv"),
    }


def run(arguments):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        [sys.executable, "-m", "elsewhere", *arguments], env=os.environ, **quiet
    )


def end(process, seconds, number):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
        process.wait()


def parts(folder):
    return [*folder.rglob("*.part")]


if __name__ == "__main__":
    main()
