"""Real tables that nobody has seen, asked through the command: is the default behind a baseline?

python benchmarks/blind.py --packages DIRECTORY … --out results/benchmarks/blind.json

The tables are those that benchmarks/paired_tables.py lists, found by a rule in packages of data;
`--pool choosing` has those that were looked at while the default was made, and `--pool blind` the
others. Every unit is given to one domain at random; the table goes to a CSV file, and the answers
are those of `elsewhere fit --domain` and `elsewhere counterfactual --to all`. Errors are those of
`elsewhere reproduce R1`, as a share of the best baseline's, which is chosen in hindsight for each
table. With `--processes`, the command has a process of its own each time, and answers the same.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.cli import app
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.methods import METHODS, run
from elsewhere.experiments.real.split import PairedSplit
from paired_tables import paired, read

LISTED = Path("results/benchmarks/paired_tables.json")
BAR, AHEAD = 1.02, 0.9
BASELINES = tuple(name for name, method in METHODS.items() if method.kind == "baseline")
DOMAIN = "elsewhere_domain"


def main():
    choices, cells = arguments(), []
    warnings.simplefilter("ignore")
    for one in json.loads(choices.listed.read_text()):
        if one["pool"] != choices.pool:
            continue
        data = table(one, choices.packages)
        rows = [measure(data, split, choices.processes) for split in choices.splits]
        cells.append(show(summarise(one["name"], data, rows)))
        keep(cells, choices)
    print(in_short(cells))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, nargs="+", required=True)
    parser.add_argument("--listed", type=Path, default=LISTED)
    parser.add_argument("--pool", choices=("blind", "choosing"), default="blind")
    parser.add_argument("--splits", type=int, nargs="+", default=[*range(10)])
    parser.add_argument("--processes", action="store_true", help="one for every command")
    parser.add_argument("--out", type=Path, help="a JSON file")
    return parser.parse_args()


def keep(cells, choices):
    if choices.out:
        made_by = provenance("python " + " ".join(sys.argv), choices.splits)
        found = {"made_by": made_by, "in_short": in_short(cells), "cells": cells}
        choices.out.write_text(json.dumps(found, indent=1) + "\n")


def table(one, packages):
    """The paired table that is listed, from the package that has it."""
    package, _, inside = one["name"].partition("/")
    root = next(path for path in packages if path.name == package)
    found = paired(read(root / inside), one["unit"], one["domain"], one["domains"])
    if found is None or (len(found.samples), [*found.columns]) != (one["units"], one["columns"]):
        raise ValueError(f"{one['name']} is not the table that was listed: another version.")
    return found


def measure(data, seed, processes):
    """The error of the command and of every baseline on one split."""
    split = PairedSplit(data, seed)
    errors = {name: run(name, split)["error"] for name in BASELINES}
    try:
        errors["elsewhere"] = split.error(asked(split, processes))
    except Exception as error:  # a refusal is a result, too
        errors |= {"elsewhere": np.nan, "note": " ".join(str(error).split())}
    return errors


def asked(split, processes):
    """The answers of the command to a CSV file of the rows."""
    names, columns = split.data.domains, list(split.data.columns)
    tables = [
        pd.DataFrame(t, columns=columns).assign(**{DOMAIN: n})
        for t, n in zip(split.tables, names, strict=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows, model, answers = (str(Path(folder, n)) for n in ("rows.csv", "model", "answers.csv"))
        pd.concat(tables).to_csv(rows, index=False)
        command(["fit", rows, "--domain", DOMAIN, "--out", model], processes)
        command(["counterfactual", model, rows, "--to", "all", "--out", answers], processes)
        every = pd.read_csv(answers, dtype={DOMAIN: str})
    observed = every[every.columns[-1]].astype(str)
    parts = {
        (d, e): every.loc[(observed == names[d]) & (every[DOMAIN] == names[e]), columns].to_numpy()
        for d in range(len(names))
        for e in range(len(names))
    }
    return lambda d, e: parts[d, e]


def command(words, processes):
    """`elsewhere …`; in this process unless it is to have one of its own."""
    if processes:
        subprocess.run([sys.executable, "-m", "elsewhere", *words], check=True, capture_output=True)
        return
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        app(words, standalone_mode=False)


def summarise(name, data, rows):
    means = {m: float(np.mean([row[m] for row in rows])) for m in ("elsewhere", *BASELINES)}
    best = min(BASELINES, key=lambda m: np.nan_to_num(means[m], nan=np.inf))
    domains, units, columns = data.values.shape
    notes = sorted({row["note"] for row in rows if "note" in row})
    sizes = {"domains": domains, "units": units, "columns": columns}
    ratio = means["elsewhere"] / means[best]
    return {"table": name, **sizes, "ratio": ratio, "best": best, **means, "notes": notes}


def show(cell):
    print(
        f"{cell['table'][-40:]:40s} {cell['domains']} × {cell['units']:4d} × {cell['columns']:2d}  "
        f"{cell['ratio']:5.2f} of {cell['best']:13s} {cell['elsewhere']:.3f}",
        *cell["notes"],
        flush=True,
    )
    return cell


def in_short(cells):
    """How many hold, how many are ahead, and the worst; a refusal holds nothing."""
    ratios = np.array([cell["ratio"] for cell in cells])
    answered = ratios[np.isfinite(ratios)]
    worst = max(cells, key=lambda cell: np.nan_to_num(cell["ratio"], nan=np.inf))
    return (
        f"{(ratios <= BAR).sum()} of {len(cells)} at most {BAR}, {(ratios <= AHEAD).sum()} at most "
        f"{AHEAD}; geometric mean {np.exp(np.log(answered).mean()):.3f}; "
        f"{len(ratios) - len(answered)} refused; worst {worst['ratio']:.2f} ({worst['table']})"
    )


if __name__ == "__main__":
    main()
