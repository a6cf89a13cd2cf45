"""`elsewhere reproduce`: run an experiment, write its rows, table and figure."""

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from elsewhere.datasets.simulated import Bias
from elsewhere.experiments.cells import EXPERIMENTS, cells_of
from elsewhere.experiments.summary import experiment_figure, markdown, summarise
from elsewhere.experiments.sweep import provenance, sweep
from elsewhere.report.page import write_whole
from elsewhere.report.style import save


def list_experiments() -> Table:
    """The experiments that can be reproduced."""
    table = Table(title="Experiments")
    for column in ("id", "what varies", "cells"):
        table.add_column(column)
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title, str(len(experiment.cells("sparse"))))
    return table


def reproduce(
    experiment: str,
    out: Path,
    *,
    seeds: Sequence[int],
    biases: Sequence[Bias],
    rows: int,
    auto: bool,
    quick: bool,
    domains: int | None,
    command: str,
) -> pd.DataFrame:
    """Run what is missing; then write rows (CSV, Parquet), table.md, figure.png, made-by.json."""
    cells = [
        cell for bias in biases for cell in cells_of(experiment, bias, quick=quick, domains=domains)
    ]
    out.mkdir(parents=True, exist_ok=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task(experiment, total=len(cells) * len(seeds))
        tick = lambda text: bar.update(task, advance=1, description=text)  # noqa: E731
        frame = sweep(cells, seeds, out, rows=rows, auto=auto, tick=tick)
    _write(experiment, frame, out, command)
    Console().print(_terminal(experiment, frame))
    return frame


def _write(experiment: str, frame: pd.DataFrame, out: Path, command: str) -> None:
    write_whole(out / "rows.csv", frame.to_csv(index=False).encode())
    write_whole(out / "rows.parquet", frame.to_parquet(index=False))
    title = f"# {experiment}: {EXPERIMENTS[experiment].title}\n\n"
    note = "Mean counterfactual error ± standard error over seeds.\n\n"
    write_whole(out / "table.md", (title + note + markdown(experiment, frame) + "\n").encode())
    made_by = json.dumps(provenance(command), indent=2) + "\n"
    write_whole(out / "made-by.json", made_by.encode())
    save(experiment_figure(experiment, frame), out / "figure.png")


def _terminal(experiment: str, frame: pd.DataFrame) -> Table:
    wide = summarise(frame).pivot_table(
        index=["bias", "num_domains", "m", "at"], columns="method", values="mean", sort=False
    )
    table = Table(title=f"{experiment}: mean counterfactual error")
    for column in [*wide.index.names, *wide.columns]:
        table.add_column(str(column), justify="right")
    for index, values in wide.iterrows():
        table.add_row(*map(str, index), *(f"{value:.2g}" for value in values))  # type: ignore[arg-type]
    return table
