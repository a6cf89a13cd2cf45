"""`elsewhere reproduce I1 … I5, I7`: run what is missing, then tables and pictures."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from rich.box import SIMPLE
from rich.progress import TaskID
from rich.table import Table

from elsewhere.datasets.pictures.download import DownloadError
from elsewhere.experiments.images.curves import curves_figure
from elsewhere.experiments.images.graphs import GRAPHS, graph_figure
from elsewhere.experiments.images.methods import (
    CURVED,
    ImagePlan,
    is_recipe,
    model_of,
    row_key,
    run_method,
)
from elsewhere.experiments.images.pairs import check_pairs, pairs_figure
from elsewhere.experiments.images.settings import (
    CURVES,
    IMAGE_EXPERIMENTS,
    JUDGED,
    ImageSetting,
    as_published,
    load,
    setting_of,
)
from elsewhere.experiments.images.store import Bar, RunStore, judged
from elsewhere.experiments.images.tables import judge_cells, markdown_table, note, table_cells
from elsewhere.experiments.images.tasks import missing
from elsewhere.experiments.processes import run_all
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.results import write_results
from elsewhere.images.classifiers import NetworkName
from elsewhere.images.descent import StepProgress
from elsewhere.images.metrics import Judges
from elsewhere.report.image_grids import failures_figure, grid_figure
from elsewhere.report.style import save
from elsewhere.terminal import bars, console, table

USUAL: NetworkName = "small"  # the judges whose results have the plain name


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

    Data that cannot be downloaded stop their own experiment only, and are named at the end.
    """
    asked = {name: plan for name in names if name != CURVES}
    missing, folders = [], []
    for name in IMAGE_EXPERIMENTS if CURVES in names else ():
        asked[name] = _with_curves(plan, setting_of(name, quick=quick))
    plain = {name: setting_of(name, quick=quick, draw=draw) for name in asked}
    settings = {name: as_published(setting, directory) for name, setting in plain.items()}
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
    check_pairs(max(plan.pairs, default=0), data.valid)
    with _bars(name) as bar:
        store = RunStore(out / "cache" / name, setting, data, bar)
        judges = store.judges(plan.network)
        if not all(is_recipe(method.name) for method in plan.methods(setting)):
            store.codes()  # before any model is timed
    runs = plan.runs(setting)
    store.kept.say_stale(row_key(store, *run, plan.network) for run in runs)
    if plan.jobs > 1:
        run_all([*missing(store, plan, directory)], plan.jobs)
    with _bars(name) as bar:
        store = replace(store, bar=bar)
        frame = _rows(store, plan, judges)
        figures = _pictures(name, store, plan, judges, frame)
        if name in GRAPHS and not all(is_recipe(m.name) for m in plan.methods(setting)):
            save(graph_figure(name), out / "graphs" / f"{GRAPHS[name].name}.png")
    images = len(judged(data.test, JUDGED))
    text = _table(f"{name}: {setting.title}", frame, plan, images, command)
    made_by = provenance(command, plan.seeds, code=store.kept.made_by["code"])
    made_by |= {"settings": asdict(setting)}
    frame = frame.assign(experiment=name)
    write_results(folder, frame, made_by, tables={"table": text}, figures=figures)
    for cells in (table_cells(frame), judge_cells(frame)):
        console().print(_terminal(f"{name}: {setting.title}", *cells))
    return folder


def folder_name(name: str, plan: ImagePlan) -> str:
    """Of an experiment's results: other judges' stand beside the usual ones, not in their place."""
    return name if plan.network == USUAL else f"{name}-{plan.network}"


def _rows(store: RunStore, plan: ImagePlan, judges: Judges) -> pd.DataFrame:
    """The scores of every model and seed; what is done is read."""
    rows = []
    for method, seed in plan.runs(store.setting):
        done = store.kept.get(row_key(store, method, seed, plan.network))
        rows.append(done or run_method(store, method, seed, judges, plan.network))
    return pd.DataFrame(rows)


def _pictures(
    name: str, store: RunStore, plan: ImagePlan, judges: Judges, frame: pd.DataFrame
) -> dict[str, Figure]:
    """A grid of each model, the failures of the default Can, and the curves against k.

    A grid does not depend on the judges: it is drawn beside the results of the usual ones alone.
    """
    data, figures = judged(store.data.test, JUDGED), {}
    methods = plan.methods(store.setting)
    for method in methods:
        other_k = method.name in CURVED and method.k != store.setting.k
        if is_recipe(method.name) or other_k or method.pairs:
            continue
        model = model_of(store, method, plan.seeds[0])
        if plan.network == USUAL:
            figures[f"grid-{method.name}"] = grid_figure(method.label, model, data)
        if method.name == "can":
            figures["failures"] = failures_figure(method.label, model, data, judges)
    title, alone = f"{name}: {store.setting.title}", [m.name for m in methods if not m.pairs]
    if len(alone) > len(set(alone)):  # some have several k
        figures["against-k"] = curves_figure(title, frame.query("pairs == 0"))
    if len(alone) < len(methods):
        usual = "method != 'can' or k == @store.setting.k"
        figures["against-pairs"] = pairs_figure(title, frame.query(usual))
    return figures


def _table(title: str, frame: pd.DataFrame, plan: ImagePlan, images: int, command: str) -> str:
    """The page of scores and judges in Markdown."""
    return "\n\n".join(
        [
            f"# {title}",
            f"{note(frame, images)} Judges: {plan.network}. Made by `{command}`.",
            markdown_table(*table_cells(frame)),
            markdown_table(*judge_cells(frame)),
        ]
    )


def _terminal(title: str, headings: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """The cells, in 80 columns if they can be."""
    tight = {"box": SIMPLE, "pad_edge": False, "padding": (0, 1, 0, 0)}
    short = [headings[0], *(heading.replace(" ", "\n") for heading in headings[1:])]
    rows = [[_tight(cell) for cell in line] for line in lines]
    return table(title, short, rows, numbers_from=1, **tight)


def _tight(cell: str) -> str:
    return cell.replace(" ± ", "±").replace(" = ", "=").removeprefix("ILD-")


def _with_curves(plan: ImagePlan, setting: ImageSetting) -> ImagePlan:
    return replace(plan, ks=plan.ks or setting.ks)


@contextmanager
def _bars(name: str) -> Iterator[Bar]:
    """A bar on stderr for each thing that is being trained; lines where that is no terminal."""
    with bars(disable=not sys.stderr.isatty()) as shown:

        def bar(what: str) -> StepProgress:
            if shown.disable:
                console(stderr=True).print(f"{name}: {what}", soft_wrap=True)
            task: TaskID = shown.add_task(f"{name}: {what}", total=None)

            def follow(step: int, total: int, loss: float) -> None:
                text = f"{name}: {what}, loss {loss:.4g}"
                shown.update(task, completed=step, total=total, description=text)

            return follow

        yield bar
