"""Is anything lost or half-written when a command is killed at a random moment?

python benchmarks/kills.py --kills 50 --out results/benchmarks/kills.json

Each command runs once undisturbed, and then again and again until a signal (SIGKILL, SIGTERM or
SIGHUP in turn) comes at a random moment of its time. The file that it replaces must be the old one
or the new one, whole; after SIGTERM and SIGHUP nothing else may be left, and what SIGKILL leaves
behind must be gone after the next run, and no worker may outlive its command. `reproduce` goes on
where it was killed: all that it writes must be, to the byte, what a run that nobody disturbed
writes, but for the seconds that each row took. `results` is the same command where all rows are
kept: it is killed late, when it writes the files that show them. Run again by the same commit, it
adds to the kills that are in the file, up to the number asked for; commands that are not run again
stay as they are.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.checkout import commit
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.results import ROWS

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
OLD = b"old and whole"
NAMES = ("fit", "counterfactual", "report", "add-domain", "reproduce", "results")
SWEEP = ["reproduce", "S1", "--data", "sparse", "--domains", "2", "--rows", "100", "--seeds", "1"]
SWEEP += ["--models", "can"]  # 5 searched fits and 20 baselines
CHECKS = ("kills", "ended_before", "lost", "parts_left", "workers_left")
MOMENTS = {"reproduce": (0, 0.3), "results": (0.5, 1)}  # shares of its time; a sweep goes on


def main():
    choices, began = arguments(), commit.__wrapped__()
    with tempfile.TemporaryDirectory() as folder:
        rows = [kill(name, Path(folder), choices) for name in choices.commands]
    if commit.__wrapped__() != began:  # which model files hold: none is then what the first was
        sys.exit("The checkout changed during the run: nothing is kept. Run it in a clone.")
    if choices.out:
        keep(rows, choices.out)


def keep(rows, out):
    """Write the rows, each with what made it, beside those of other commands."""
    made_by = provenance(" ".join(["python", "benchmarks/kills.py", *sys.argv[1:]]))
    found = before(out) | {row["command"]: row | {"made_by": made_by} for row in rows}
    out.parent.mkdir(parents=True, exist_ok=True)
    whole = {"rows": [found[name] for name in NAMES if name in found]}
    out.write_text(json.dumps(whole, indent=1) + "\n")


def before(out):
    """The rows of earlier runs, by command."""
    rows = json.loads(out.read_text())["rows"] if out and out.exists() else []
    return {row["command"]: row for row in rows}


def earlier(name, out):
    """How often this commit was killed before, with what was found then."""
    row = before(out).get(name, {})
    return row if row.get("made_by", {}).get("commit") == commit() else {}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--commands", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--seconds", type=float, default=280.0, help="at most, in all")
    parser.add_argument("--out", type=Path, help="a JSON file")
    parser.set_defaults(start=time.monotonic())
    return parser.parse_args()


def kill(name, folder, choices):
    prepare(folder)
    command, out = commands(folder)[name]
    if name == "results":
        run(command).wait()
    begin = time.monotonic()
    run(command).wait()
    took, new = time.monotonic() - begin, content(out)
    done = earlier(name, choices.out)
    found = {"command": name, "seconds_undisturbed": round(took, 1)}
    found |= {check: done.get(check, 0) for check in CHECKS}
    found |= {"examples": done.get("examples", [])}
    rng = np.random.default_rng(found["kills"])
    renew(name, out)
    until = choices.start + choices.seconds - took  # the last run needs its time too
    while found["kills"] < choices.kills and time.monotonic() < until:
        number = SIGNALS[found["kills"] % len(SIGNALS)]
        left, process = parts(folder), run(command)
        killed = end(process, took * rng.uniform(*MOMENTS.get(name, (0, 1))), number)
        found["kills" if killed else "ended_before"] += 1
        lost = other_files(content(out), new)
        found["lost"] += bool(lost)
        if lost:
            found["examples"].append({"kill": found["kills"], "killed": killed} | lost)
        found["workers_left"] += outlived(process)
        found["parts_left"] += number != signal.SIGKILL and len(parts(folder) - left)
        if name != "reproduce" or not killed:
            renew(name, out)
    run(command).wait()
    found["parts_never_removed"] = done.get("parts_never_removed", 0) + len(parts(folder))
    found["equal_in_the_end"] = content(out) == new and done.get("equal_in_the_end", True)
    print(json.dumps(found), flush=True)
    return found


def content(out):
    """File: bytes, of what a command wrote; of a sweep all files, without the seconds of its rows.

    Where there is nothing yet, nothing is given.
    """
    return {path.name: without_seconds(path) for path in written(out)}


def written(out):
    """The file, or of a sweep all files, but for those that were not written to their end."""
    found = sorted(out.parent.glob("*")) if out.name == ROWS else [out]
    return [path for path in found if path.suffix != ".part"]


def without_seconds(path):
    if path.name != ROWS or path.read_bytes() == OLD:
        return path.read_bytes()
    return pd.read_csv(path, dtype=str).drop(columns="seconds").to_csv().encode()


def other_files(found, new):
    """The first line, by name, that a file has and neither the old one nor the new one has."""
    return {
        name: first_other_line(there, new[name])
        for name, there in found.items()
        if there not in (OLD, new[name])
    }


def first_other_line(there, new):
    """(of this file, of the new one), as text."""
    lines = zip((*there.splitlines(), b""), (*new.splitlines(), b""), strict=False)
    return [repr(line[:200]) for line in next(((a, b) for a, b in lines if a != b), (there, new))]


def renew(name, out):
    """The state before a command: an old file, or for a sweep nothing."""
    if name == "reproduce":
        shutil.rmtree(out.parent.parent, ignore_errors=True)
        return
    for path in written(out):
        path.write_bytes(OLD)


def outlived(process, looks=60):
    """Whether a worker still lives some three seconds after its command has ended.

    Looks are counted, not seconds: where all of this is paused together, nobody is late.
    """
    for _ in range(looks):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True


def prepare(folder):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2000, 4))
    x[1000:] += 1
    frame = pd.DataFrame(x, columns=[*"abcd"]).assign(site=np.repeat(["north", "south"], 1000))
    frame.to_csv(folder / "d.csv", index=False)
    frame[:200].assign(site="west").to_csv(folder / "new.csv", index=False)
    if not (folder / "a.model").exists():
        run(fit(folder, "a.model")).wait()


def fit(folder, name):
    given = ["--domain", "site", "--mixing", "moments", "--force"]
    return ["fit", str(folder / "d.csv"), *given, "--out", str(folder / name)]


def commands(folder):
    """Name: (arguments, the file that must be old or new)."""
    model, data = str(folder / "a.model"), str(folder / "d.csv")
    moved, page, sweep = folder / "o.csv", folder / "r.html", [*SWEEP, "--jobs", "2", "--out"]
    given = ["--to", "south", "--out", str(moved), "--force"]
    shown = ["--no-planted", "--out", str(page), "--force"]
    more = [str(folder / "new.csv"), "--out", str(folder / "c.model"), "--force"]
    sweeps = {name: folder / name for name in NAMES[-2:]}
    return {
        "fit": (fit(folder, "b.model"), folder / "b.model"),
        "counterfactual": (["counterfactual", model, data, *given], moved),
        "report": (["report", model, data, *shown], page),
        "add-domain": (["add-domain", model, *more], folder / "c.model"),
        **{name: ([*sweep, str(to)], to / "S1" / ROWS) for name, to in sweeps.items()},
    }


def run(arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "elsewhere", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end(process, seconds, number):
    """Wait, then send the signal; whether the command was still running."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
        process.wait()
        return True
    return False


def parts(folder):
    """What was not written to its end, by this run or by one that was killed before."""
    return {*folder.rglob("*.part")}


if __name__ == "__main__":
    main()
