"""`elsewhere reproduce R1 … R7`: run what is missing, then rows, tables and a picture per set."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import isnan
from pathlib import Path

import pandas as pd
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.figure import dot_figure
from elsewhere.experiments.real.methods import METHODS, asked, run
from elsewhere.experiments.real.sets import REAL_SETS, RealSet, real_set
from elsewhere.experiments.real.split import PairedSplit
from elsewhere.experiments.real.summary import by_split, markdown, summarise, verdict
from elsewhere.files import write_whole
from elsewhere.report.style import save

_PEERS = ("inmoose", "POT", "skada", "chemotools", "ott-jax", "scikit-learn")


@dataclass(frozen=True)
class RealPlan:
    """What to run: the splits' seeds, and only these methods (again, if they were run before)."""

    seeds: Sequence[int] = tuple(range(10))
    only: tuple[str, ...] = ()


def list_real() -> Table:
    """The experiments on real tables."""
    table = Table(
        title="Experiments on real tables", title_justify="left", box=SIMPLE, pad_edge=False
    )
    for column in ("id", "measured"):
        table.add_column(column)
    for name, one in REAL_SETS.items():
        table.add_row(name, one.title)
    return table


def reproduce_real(
    names: Sequence[str], out: Path, plan: RealPlan, command: str, directory: Path | None = None
) -> list[Path]:
    """The folders of results, one per data set."""
    methods, sets = asked(plan.only), {name: real_set(name) for name in names}
    for name, one in sets.items():
        folder = out / name
        _run(name, one, folder / "rows.csv", plan, methods, directory)
        _write(name, one, folder, _of_plan(folder / "rows.csv", plan), command)
    return [out / name for name in sets]


def _run(
    name: str, one: RealSet, path: Path, plan: RealPlan, methods: list[str], directory: Path | None
) -> None:
    """Run what `path` does not hold yet, and add it there split by split."""
    done = _read(path)
    wanted = {(m, s) for m in methods for s in plan.seeds} - (set() if plan.only else _done(done))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        line = bar.add_task(name, total=len(wanted))
        data = one.load(directory)
        for seed in plan.seeds:
            split, rows = PairedSplit(data, seed, one.ordered), []
            for method in (m for m in methods if (m, seed) in wanted):
                bar.update(line, description=f"{name} split {seed}: {method}")
                rows.append(run(method, split))
                bar.advance(line)
            done = _merged(done, pd.DataFrame(rows))
            write_whole(path, done.to_csv(index=False).encode())


def _read(path: Path) -> pd.DataFrame:
    if not path.exists():
        return pd.DataFrame({c: [] for c in ("method", "seed", "error", "seconds", "note")})
    return pd.read_csv(path).fillna({"note": ""})


def _done(frame: pd.DataFrame) -> set[tuple[str, int]]:
    """What need not be run again: all but what was not run, for a package may be there now."""
    ran = frame[~frame["note"].astype(str).str.startswith("not run")]
    return set(zip(ran["method"], ran["seed"].astype(int), strict=True))


def _merged(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Old rows with new ones in their place, by method and seed."""
    parts = [part for part in (old, new) if len(part)]
    if not parts:
        return old
    both = pd.concat(parts).drop_duplicates(["method", "seed"], keep="last")
    known = both[both["method"].isin(list(METHODS))].astype({"seed": int})
    place = [list(METHODS).index(name) for name in known["method"]]
    return known.assign(place=place).sort_values(["seed", "place"]).drop(columns="place")


def _of_plan(path: Path, plan: RealPlan) -> pd.DataFrame:
    frame = _read(path)
    return frame.loc[frame["seed"].isin(list(plan.seeds))]


def _write(name: str, one: RealSet, folder: Path, frame: pd.DataFrame, command: str) -> None:
    seeds = sorted({int(seed) for seed in frame["seed"]})
    head = f"# {name}: {one.title}\n\n{one.about}\n\n"
    note = "Mean error ± standard deviation over splits; methods in italics see half the pairs.\n\n"
    texts = {
        "table.md": f"{head}{verdict(frame)}\n\n{note}{markdown(frame)}\n",
        "splits.md": f"{head}Error, split by split.\n\n{by_split(frame)}\n",
        "made-by.json": json.dumps(provenance(command, seeds, packages=_versions()), indent=2)
        + "\n",
    }
    for file, text in texts.items():
        write_whole(folder / file, text.encode())
    save(dot_figure(f"{name}: {one.title}", frame), folder / "figure.png")
    Console().print(_terminal(name, frame))


def _versions() -> dict[str, str]:
    found = {}
    for name in _PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _terminal(name: str, frame: pd.DataFrame) -> Table:
    table = Table(title=f"{name}: error over splits", box=SIMPLE, padding=(0, 1, 0, 0))
    for column in ("method", "mean", "std", "÷ best baseline", "rank"):
        table.add_column(column, justify="left" if column == "method" else "right")
    for method, line in summarise(frame).items():
        numbers = [line["mean"], line["std"], line["ratio"], line["rank"]]
        cells = ["" if isnan(v) else f"{v:.3g}" for v in numbers]
        cells[0] = cells[0] or line["note"]
        table.add_row(METHODS[method].label, *cells)
    return table
