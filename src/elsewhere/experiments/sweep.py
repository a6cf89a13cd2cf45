"""Run the methods that the cells ask for; what is done stays done."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import pandas as pd

from elsewhere.experiments.cells import Cell, Setting
from elsewhere.experiments.methods import FITS, RECIPES, Method, Row, run_methods, run_recipes
from elsewhere.experiments.processes import run_all
from elsewhere.experiments.rows import RowKey, Rows

CODE = "elsewhere.experiments.methods"  # the module that computes the rows
MODELS = (*FITS, *RECIPES)
BASELINE_NAMES = ("identity", "mean_variance", "combat", "gaussian_ot")


@dataclass(frozen=True)
class Plan:
    """What to run: seeds, rows per domain, and methods besides Can, Dense and the baselines.

    `only` names the models wanted, of `MODELS`; the baselines are always there.
    """

    seeds: Sequence[int] = tuple(range(10))
    rows: int = 100_000
    auto: bool = False
    recipe: bool = False
    entropic: bool = False
    jobs: int = 1
    on: str | None = None  # the address of a Ray cluster
    only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a model that is not known."""
        if unknown := [name for name in self.only if name not in MODELS]:
            raise ValueError(f"--models must be among {', '.join(MODELS)}; got {unknown[0]!r}.")

    def methods(self, cell: Cell) -> list[Method]:
        """The methods for a cell; k is chosen from the data for leaky and linear mixings only."""
        kind = (cell.couplings, cell.latent)
        models = {
            "can": Method("can", cell.k, *kind),
            "dense": Method("dense", None, *kind),
            "auto": Method("auto", "auto"),
            "recipe_can": Method("recipe_can", cell.k),
            "recipe_dense": Method("recipe_dense"),
        }
        left_out = {"auto"} if any(kind) else set()
        plain = [*BASELINE_NAMES, *(["entropic_ot"] if self.entropic else [])]
        return [models[name] for name in self._models if name not in left_out] + [
            *map(Method, plain)
        ]

    @property
    def _models(self) -> tuple[str, ...]:
        """The names that were asked for: one by one, or by what comes besides."""
        besides = (*(["auto"] if self.auto else []), *(RECIPES if self.recipe else []))
        return self.only or ("can", "dense", *besides)


@dataclass(frozen=True)
class Task:
    """Methods to run on data sets of one setting; of several seeds only for the recipe."""

    setting: Setting
    seeds: tuple[int, ...]
    rows: int
    methods: tuple[Method, ...]
    kept: Rows

    def key(self, seed: int, method: Method) -> RowKey:
        """What a row depends on: its data set and its method, and nothing else."""
        return RowKey(f"{self.setting.name}_n{self.rows}", method.file, seed)

    @property
    def row_keys(self) -> list[RowKey]:
        """Of all the rows of the task."""
        return [self.key(seed, method) for seed in self.seeds for method in self.methods]

    def missing(self) -> "Task":
        """The same without what is done."""
        seeds = [s for s in self.seeds if not all(self._done(s, m) for m in self.methods)]
        methods = [m for m in self.methods if not all(self._done(s, m) for s in seeds)]
        return replace(self, seeds=tuple(seeds), methods=tuple(methods))

    def run(self) -> str:
        """Run and write; returns what was done, in words.

        Fits that share a search are kept together or not at all: resumed between two of them, the
        second would be found by another search than in a run that nobody disturbed.
        """
        for rows in self._rows():
            self.kept.put_together(rows)
        return f"{self.setting.name} seed {' '.join(map(str, self.seeds))}"

    def _done(self, seed: int, method: Method) -> bool:
        return self.kept.get(self.key(seed, method)) is not None

    def _rows(self) -> Iterator[dict[RowKey, Row]]:
        """Rows that were made together: those of all fits of a data set, or of one baseline."""
        if self.methods[0].name in RECIPES:
            (method,) = self.methods
            rows = run_recipes(self.setting, self.seeds, self.rows, method)
            yield {self.key(seed, method): row for seed, row in rows}
            return
        for seed in self.seeds:
            rows = run_methods(self.setting, seed, self.rows, self.methods)
            for _, made in groupby(rows, lambda pair: pair[0].name in FITS or pair[0].name):
                yield {self.key(seed, method): row for method, row in made}


def sweep(cells: Sequence[Cell], plan: Plan, folder: Path) -> pd.DataFrame:
    """All rows of all cells and seeds. Started again, it goes on where it stopped.

    A data set that several cells share is fitted once for all of them; settings of one shape come
    together, so that they share what is compiled.
    """
    left = tasks(cells, plan, folder)
    Rows(folder, CODE).say_stale(key for task in left for key in task.row_keys)
    run_all(left, plan.jobs, plan.on)
    if missed := tasks(cells, plan, folder):
        raise ValueError(
            f"the rows of {len(missed)} data set(s) were made by other code than that of this "
            "sweep: it changed while the sweep ran. Start it again; what is right is kept."
        )
    return collect(cells, plan, folder)


def tasks(cells: Sequence[Cell], plan: Plan, folder: Path) -> list[Task]:
    """What is left to run, seed by seed for all data sets of one shape.

    A sweep that is stopped then has whole seeds.
    """
    wanted: dict[Setting, dict[Method, None]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.setting.m, cell.setting.num_domains)):
        wanted.setdefault(cell.setting, {}).update(dict.fromkeys(plan.methods(cell)))
    kept = Rows(folder, CODE)
    kept.finish()
    every = [t for s, methods in wanted.items() for t in _of_setting(s, [*methods], plan, kept)]
    every.sort(key=lambda task: (task.setting.m, task.setting.num_domains, task.seeds[0]))
    left = [task.missing() for task in every]
    return [task for task in left if task.seeds]


def collect(cells: Sequence[Cell], plan: Plan, folder: Path) -> pd.DataFrame:
    """The rows of all cells that are done, as one tidy table."""
    kept = Rows(folder, CODE)
    found = [
        row | cell.columns() | {"k": cell.k}
        for cell in cells
        for seed in plan.seeds
        for method in plan.methods(cell)
        if (row := kept.get(Task(cell.setting, (), plan.rows, (), kept).key(seed, method)))
    ]
    return pd.DataFrame(found)


def _of_setting(
    setting: Setting, methods: Sequence[Method], plan: Plan, kept: Rows
) -> Iterator[Task]:
    single = tuple(method for method in methods if method.name not in RECIPES)
    for seed in plan.seeds:
        yield Task(setting, (seed,), plan.rows, single, kept)
    for method in methods:
        if method.name in RECIPES:
            yield Task(setting, tuple(plan.seeds), plan.rows, (method,), kept)
