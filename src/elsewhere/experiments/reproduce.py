"""`elsewhere reproduce`: run an experiment, write its rows, tables and figures."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from elsewhere.experiments.cells import EXPERIMENTS, Cell
from elsewhere.experiments.figures import error_figure, likelihood_figure
from elsewhere.experiments.summary import by_seed, markdown, places, summarise
from elsewhere.experiments.sweep import Plan, collect, provenance, sweep
from elsewhere.files import write_whole
from elsewhere.report.style import save


def list_experiments() -> Table:
    """The experiments that can be reproduced."""
    table = Table(title="Experiments", title_justify="left", box=SIMPLE, pad_edge=False)
    for column in ("id", "what varies", "cells"):
        table.add_column(column)
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title, str(len(experiment.cells("sparse"))))
    table.add_row("S9", "Picture: arrows from true to estimated counterfactuals", "1")
    return table


def reproduce(cells: Sequence[Cell], out: Path, plan: Plan, command: str) -> None:
    """Run what is missing; then a folder an experiment: rows, table.md, seeds.md, figures."""
    folder = out / "done"
    sweep(cells, plan, folder)
    for experiment in dict.fromkeys(cell.experiment for cell in cells):
        mine = [cell for cell in cells if cell.experiment == experiment]
        frame = collect(mine, plan, folder)
        _write(experiment, frame, out / experiment, command)
        Console().print(_terminal(experiment, frame))


def _write(experiment: str, frame: pd.DataFrame, out: Path, command: str) -> None:
    write_whole(out / "rows.csv", frame.to_csv(index=False).encode())
    write_whole(out / "rows.parquet", frame.to_parquet(index=False))
    title = f"# {experiment}: {EXPERIMENTS[experiment].title}\n\n"
    for name, note, table in (
        ("table.md", "Mean counterfactual error ± standard error over seeds.", markdown),
        ("seeds.md", "Counterfactual error, seed by seed.", by_seed),
    ):
        text = f"{title}{note} Made by `{command}`.\n\n{table(experiment, frame)}\n"
        write_whole(out / name, text.encode())
    write_whole(out / "made-by.json", (json.dumps(provenance(command), indent=2) + "\n").encode())
    save(error_figure(experiment, frame), out / "figure.png")
    save(likelihood_figure(experiment, frame), out / "likelihood.png")


def _terminal(experiment: str, frame: pd.DataFrame) -> Table:
    """As in table.md without the errors; columns that never vary are left out."""
    where = [name for name in places(frame) if name == "at" or len(set(frame[name])) > 1]
    wide = summarise(frame).pivot_table(index=where, columns="method", values="mean", sort=False)
    table = Table(
        title=f"{experiment}: mean counterfactual error", box=SIMPLE, padding=(0, 1, 0, 0)
    )
    for column in [*wide.index.names, *wide.columns]:
        table.add_column(str(column).replace("_", " "), justify="right", overflow="fold")
    for index, values in wide.iterrows():
        place = index if isinstance(index, tuple) else (index,)
        table.add_row(*map(str, place), *(f"{value:.2g}" for value in values))
    return table
