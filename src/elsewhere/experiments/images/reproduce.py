"""`elsewhere reproduce I1 … I5, I7`: run what is missing, then tables and pictures."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from elsewhere.datasets.pictures.download import DownloadError
from elsewhere.datasets.pictures.image_data import ImageData
from elsewhere.experiments.images.curves import curves_figure
from elsewhere.experiments.images.graphs import graph_figure
from elsewhere.experiments.images.methods import (
    CURVED,
    ImagePlan,
    is_recipe,
    model_of,
    row_path,
    run_method,
)
from elsewhere.experiments.images.settings import (
    CURVES,
    IMAGE_EXPERIMENTS,
    JUDGED,
    ImageSetting,
    load,
    setting_of,
)
from elsewhere.experiments.images.store import Bar, Store, judged
from elsewhere.experiments.images.tables import judge_cells, markdown_table, note, table_cells
from elsewhere.experiments.images.tasks import missing
from elsewhere.experiments.processes import run_all
from elsewhere.experiments.sweep import provenance
from elsewhere.files import write_whole
from elsewhere.images.descent import Progress as Steps
from elsewhere.images.metrics import Judges
from elsewhere.report.image_grids import failures_figure, grid_figure
from elsewhere.report.style import save


def list_images() -> Table:
    """The image experiments that can be reproduced."""
    lines = [[name, s.title, str(s.m), str(s.k)] for name, s in IMAGE_EXPERIMENTS.items()]
    lines.append([CURVES, "Metrics against k, grids and causal graphs of all of these", "", ""])
    return _terminal("Experiments on images", ["id", "images", "m", "k"], lines)


def reproduce_images(
    names: Sequence[str],
    out: Path,
    plan: ImagePlan,
    command: str,
    *,
    directory: Path | None = None,
    quick: bool = False,
    draw: int = 0,
) -> list[Path]:
    """The folders of results, one an experiment; I7 is all of them with their curves against k.

    Data that cannot be had stop their own experiment only, and are named at the end.
    """
    asked = {name: plan for name in names if name != CURVES}
    missing, folders = [], []
    for name in IMAGE_EXPERIMENTS if CURVES in names else ():
        asked[name] = _with_curves(plan, setting_of(name, quick=quick))
    settings = {name: setting_of(name, quick=quick, draw=draw) for name in asked}
    for name, setting in settings.items():
        asked[name].methods(setting)  # what cannot be run is said before anything is
    for name, setting in settings.items():
        try:
            folders.append(_one(name, setting, out, asked[name], command, directory))
        except DownloadError as error:
            missing.append(f"{name}: {error}")
    if missing:
        raise DownloadError(" ".join(missing))
    return folders


def _one(
    name: str,
    setting: ImageSetting,
    out: Path,
    plan: ImagePlan,
    command: str,
    directory: Path | None,
) -> Path:
    """Everything of one experiment."""
    data, folder = load(setting, directory), out / folder_name(name, plan)
    with _bars(name) as bar:
        store = Store(out / "cache" / name, setting, data, bar)
        judges = store.judges(plan.network)
        if not all(is_recipe(method.name) for method in plan.methods(setting)):
            store.codes()  # before any model is timed
    if plan.jobs > 1:
        run_all([*missing(store, plan, directory)], plan.jobs)
    with _bars(name) as bar:
        store = replace(store, bar=bar)
        frame = _rows(store, plan, judges)
        _pictures(name, folder, store, plan, judges, frame)
    _tables(name, folder, frame, plan, setting, judged(data.test, JUDGED), command)
    for cells in (table_cells(frame), judge_cells(frame)):
        Console().print(_terminal(f"{name}: {setting.title}", *cells))
    return folder


def folder_name(name: str, plan: ImagePlan) -> str:
    """Of an experiment's results: other judges' stand beside the usual ones, not in their place."""
    return name if plan.network == "small" else f"{name}-{plan.network}"


def _rows(store: Store, plan: ImagePlan, judges: Judges) -> pd.DataFrame:
    """The scores of every model and seed; what is done is read."""
    rows = []
    for method, seed in plan.runs(store.setting):
        path = row_path(store, method, seed, plan.network)
        done = json.loads(path.read_text()) if path.exists() else None
        rows.append(done or run_method(store, method, seed, judges, plan.network))
    return pd.DataFrame(rows)


def _pictures(
    name: str, out: Path, store: Store, plan: ImagePlan, judges: Judges, frame: pd.DataFrame
) -> None:
    """A grid and the failures of the default Can, a grid of each other model; graph and curves."""
    data = judged(store.data.test, JUDGED)
    for method in plan.methods(store.setting):
        if is_recipe(method.name) or (method.name in CURVED and method.k != store.setting.k):
            continue
        model = model_of(store, method, plan.seeds[0])
        save(grid_figure(method.label, model, data), out / f"grid-{method.name}.png")
        if method.name == "can":
            failed = failures_figure(method.label, model, data, judges)
            save(failed, out / "failures.png")
    save(graph_figure(name), out / "graph.png")
    names = [method.name for method in plan.methods(store.setting)]
    if len(names) > len(set(names)):  # some have several k
        save(curves_figure(f"{name}: {store.setting.title}", frame), out / "against-k.png")


def _tables(
    name: str,
    out: Path,
    frame: pd.DataFrame,
    plan: ImagePlan,
    setting: ImageSetting,
    data: ImageData,
    command: str,
) -> None:
    frame = frame.assign(experiment=name)
    write_whole(out / "rows.csv", frame.to_csv(index=False).encode())
    write_whole(out / "rows.parquet", frame.to_parquet(index=False))
    parts = [
        f"# {name}: {setting.title}",
        f"{note(frame, len(data))} Judges: {plan.network}. Made by `{command}`.",
        markdown_table(*table_cells(frame)),
        markdown_table(*judge_cells(frame)),
    ]
    write_whole(out / "table.md", ("\n\n".join(parts) + "\n").encode())
    made_by = provenance(command) | {"seeds": [*plan.seeds], "settings": asdict(setting)}
    write_whole(out / "made-by.json", (json.dumps(made_by, indent=2) + "\n").encode())


def _terminal(title: str, headings: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """The cells, in 80 columns if they can be."""
    tight = {"box": SIMPLE, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table(title=title, title_justify="left", **tight)
    for i, heading in enumerate(headings):
        short = heading.replace(" ", "\n") if i else heading
        table.add_column(short, justify="right" if i else "left", overflow="fold")
    for line in lines:
        table.add_row(*(_tight(cell) for cell in line))
    return table


def _tight(cell: str) -> str:
    return cell.replace(" ± ", "±").replace(" = ", "=").removeprefix("ILD-")


def _with_curves(plan: ImagePlan, setting: ImageSetting) -> ImagePlan:
    return replace(plan, ks=plan.ks or setting.ks)


@contextmanager
def _bars(name: str) -> Iterator[Bar]:
    """A bar on stderr for each thing that is being trained; lines where that is no terminal."""
    console = Console(stderr=True)
    columns = BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, disable=not sys.stderr.isatty()) as bars:

        def bar(what: str) -> Steps:
            if bars.disable:
                console.print(f"{name}: {what}", soft_wrap=True)
            task: TaskID = bars.add_task(f"{name}: {what}", total=None)

            def follow(step: int, total: int, loss: float) -> None:
                text = f"{name}: {what}, loss {loss:.4g}"
                bars.update(task, completed=step, total=total, description=text)

            return follow

        yield bar
