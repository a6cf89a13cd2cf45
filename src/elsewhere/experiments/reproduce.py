"""`elsewhere reproduce S1 … S11`: run what is missing, then rows, tables and figures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.box import SIMPLE
from rich.table import Table

from elsewhere.datasets.simulated import Bias
from elsewhere.experiments.arrows import draw_arrows
from elsewhere.experiments.cells import EXPERIMENTS, Cell, cells_of
from elsewhere.experiments.family import Family, seed_range
from elsewhere.experiments.figures import error_figure, likelihood_figure
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.results import write_results
from elsewhere.experiments.rows import Rows
from elsewhere.experiments.steps import draw_steps
from elsewhere.experiments.summary import by_seed, markdown, places, summarise
from elsewhere.experiments.sweep import CODE, Plan, collect, sweep
from elsewhere.terminal import console, table

ARROWS, STEPS = "S9", "S10"
PICTURES = {
    ARROWS: "Picture: arrows from true to estimated counterfactuals",
    STEPS: "Picture: the canonical form step by step",
}
BIASES: dict[str, tuple[Bias, ...]] = {
    "sparse": ("sparse",),
    "printed": ("printed",),
    "both": ("sparse", "printed"),
}


class Simulated(Family):
    """The paper's simulations."""

    def names(self) -> list[str]:
        """S1 to S11."""
        return [*EXPERIMENTS, *PICTURES]

    def listing(self) -> Table:
        """The experiments that can be reproduced."""
        return list_experiments()

    def run(
        self, names: Sequence[str], out: Path, asked: Mapping[str, Any], command: str
    ) -> Iterable[Path]:
        """Sweeps, a folder each; of S9 a picture for each pair of domains, of S10 one."""
        quick, recipe = asked["quick"], asked["recipe"]
        rows = 20_000 if quick else asked["rows"]
        written, seed = [], seed_range(asked["seeds"] or "10")[0]
        if STEPS in names:
            written.append(draw_steps(out / STEPS, seed=seed, command=command))
        if ARROWS in names:
            written += draw_arrows(
                out / ARROWS, seed=seed, rows=rows, recipe=recipe, command=command
            )
        cells = _cells([name for name in names if name not in PICTURES], asked)
        if not cells:
            return written
        plan = Plan(
            seeds=range(2) if quick else seed_range(asked["seeds"] or "10"),
            rows=rows,
            recipe=recipe,
            **{name: asked[name] for name in ("auto", "entropic", "jobs")},
            on=asked.get("on"),
            only=tuple(one.strip() for one in asked["models"].split(",") if one.strip()),
        )
        return written + reproduce(cells, out, plan, command)


def _cells(names: Sequence[str], asked: Mapping[str, Any]) -> list[Cell]:
    """The cells asked for, of one number of couplings where that is given."""
    couplings = asked.get("couplings")
    every = [
        cell
        for name in names
        for bias in _biases(asked["data"])
        for cell in cells_of(name, bias, quick=asked["quick"], domains=asked["domains"])
    ]
    cells = [cell for cell in every if couplings in (None, cell.couplings)]
    if every and not cells:
        known = sorted({cell.couplings for cell in every})
        raise ValueError(f"--couplings must be among {known} here; got {couplings}.")
    return cells


def list_experiments() -> Table:
    """The experiments that can be reproduced."""
    rows = [(name, e.title, str(len(e.cells("sparse")))) for name, e in EXPERIMENTS.items()]
    rows += [(name, title, "1") for name, title in PICTURES.items()]
    looks = {"box": SIMPLE, "pad_edge": False}
    return table("Experiments", ("id", "what varies", "cells"), rows, **looks)


def reproduce(cells: Sequence[Cell], out: Path, plan: Plan, command: str) -> list[Path]:
    """Run what is missing; then a folder per experiment: rows, table.md, seeds.md, figures."""
    folder = out / "cache"
    sweep(cells, plan, folder)
    written = []
    for experiment in dict.fromkeys(cell.experiment for cell in cells):
        mine = [cell for cell in cells if cell.experiment == experiment]
        frame = collect(mine, plan, folder)
        code = Rows(folder, CODE).made_by["code"]
        made_by = provenance(command, plan.seeds, code=code)
        written.append(_write(experiment, frame, out / experiment, made_by))
        console().print(_terminal(experiment, frame))
    return written


def _write(experiment: str, frame: pd.DataFrame, out: Path, made_by: dict[str, Any]) -> Path:
    def page(note: str, table: str) -> str:
        title = f"# {experiment}: {EXPERIMENTS[experiment].title}"
        return f"{title}\n\n{note} Made by `{made_by['command']}`.\n\n{table}\n"

    mean = "Mean counterfactual error ± standard error over seeds."
    each = "Counterfactual error, seed by seed."
    tables = {
        "table": page(mean, markdown(experiment, frame)),
        "seeds": page(each, by_seed(experiment, frame)),
    }
    figures = {
        "figure": error_figure(experiment, frame),
        "likelihood": likelihood_figure(experiment, frame),
    }
    return write_results(out, frame, made_by, tables=tables, figures=figures)


def _biases(text: str) -> tuple[Bias, ...]:
    if text not in BIASES:
        raise ValueError(f"--data must be one of {', '.join(BIASES)}; got {text!r}.")
    return BIASES[text]


def _terminal(experiment: str, frame: pd.DataFrame) -> Table:
    """As in table.md without the errors; columns that never vary are left out."""
    where = [name for name in places(frame) if name == "at" or len(set(frame[name])) > 1]
    wide = summarise(frame).pivot_table(index=where, columns="method", values="mean", sort=False)
    header = [str(name).replace("_", " ") for name in (*wide.index.names, *wide.columns)]
    rows = [
        [*map(str, index if isinstance(index, tuple) else (index,)), *(f"{v:.2g}" for v in values)]
        for index, values in wide.iterrows()
    ]
    title = f"{experiment}: mean counterfactual error"
    return table(title, header, rows, numbers_from=0, box=SIMPLE, padding=(0, 1, 0, 0))
