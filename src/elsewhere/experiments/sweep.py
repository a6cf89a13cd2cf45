"""Run the methods that the cells ask for; what is done stays done."""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from elsewhere.experiments.cells import Cell, Setting
from elsewhere.experiments.methods import RECIPES, Method, Row, run_methods, run_recipes
from elsewhere.experiments.processes import run_all
from elsewhere.files import write_whole

_VERSIONED = ("elsewhere", "jax", "jaxlib", "equinox", "flowjax", "numpy")
BASELINE_NAMES = ("identity", "mean_variance", "combat", "gaussian_ot")


@dataclass(frozen=True)
class Plan:
    """What to run: seeds, rows a domain, and which methods beside Can, Dense and the baselines."""

    seeds: Sequence[int] = tuple(range(10))
    rows: int = 100_000
    auto: bool = False
    recipe: bool = False
    entropic: bool = False
    jobs: int = 1

    def methods(self, cell: Cell) -> list[Method]:
        """The methods for a cell."""
        plain = [*BASELINE_NAMES, *(["entropic_ot"] if self.entropic else [])]
        kind = (cell.couplings, cell.latent)
        asked = [Method("can", cell.k, *kind), Method("dense", None, *kind), *map(Method, plain)]
        auto = [Method("auto", "auto")] if self.auto and not any(kind) else []
        recipe = [Method("recipe_can", cell.k), Method("recipe_dense")] if self.recipe else []
        return asked + auto + recipe


@dataclass(frozen=True)
class Task:
    """Methods to run on data sets of one setting; of several seeds only for the recipe."""

    setting: Setting
    seeds: tuple[int, ...]
    rows: int
    methods: tuple[Method, ...]
    folder: Path

    def path(self, seed: int, method: Method) -> Path:
        """Where a row is kept: it depends on nothing but its data set and its method."""
        return self.folder / f"{self.setting.name}_n{self.rows}_s{seed}" / method.file

    def missing(self) -> "Task":
        """The same without what is done."""
        seeds = [s for s in self.seeds if not all(self.path(s, m).exists() for m in self.methods)]
        methods = [m for m in self.methods if not all(self.path(s, m).exists() for s in seeds)]
        return Task(self.setting, tuple(seeds), self.rows, tuple(methods), self.folder)

    def run(self) -> str:
        """Run and write; each row appears whole or not at all. Returns what was done, in words."""
        for seed, method, row in self._rows():
            write_whole(self.path(seed, method), json.dumps(row).encode())
        return f"{self.setting.name} seed {' '.join(map(str, self.seeds))}"

    def _rows(self) -> Iterator[tuple[int, Method, Row]]:
        if self.methods[0].name in RECIPES:
            for seed, row in run_recipes(self.setting, self.seeds, self.rows, self.methods[0]):
                yield seed, self.methods[0], row
            return
        for seed in self.seeds:
            for method, row in run_methods(self.setting, seed, self.rows, self.methods):
                yield seed, method, row


def sweep(cells: Sequence[Cell], plan: Plan, folder: Path) -> pd.DataFrame:
    """All rows of all cells and seeds. Started again, it goes on where it stopped.

    A data set that several cells share is fitted once for all of them; settings of one shape come
    together, so that they share what is compiled.
    """
    run_all(tasks(cells, plan, folder), plan.jobs)
    return collect(cells, plan, folder)


def tasks(cells: Sequence[Cell], plan: Plan, folder: Path) -> list[Task]:
    """What is left to run."""
    wanted: dict[Setting, dict[Method, None]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.setting.m, cell.setting.num_domains)):
        wanted.setdefault(cell.setting, {}).update(dict.fromkeys(plan.methods(cell)))
    every = [t for s, methods in wanted.items() for t in _of_setting(s, [*methods], plan, folder)]
    left = [task.missing() for task in every]
    return [task for task in left if task.seeds]


def collect(cells: Sequence[Cell], plan: Plan, folder: Path) -> pd.DataFrame:
    """The rows of all cells that are done, as one tidy table."""
    found = [
        json.loads(path.read_text()) | cell.columns() | {"k": cell.k}
        for cell in cells
        for seed in plan.seeds
        for method in plan.methods(cell)
        if (path := Task(cell.setting, (), plan.rows, (), folder).path(seed, method)).exists()
    ]
    return pd.DataFrame(found)


def provenance(command: str) -> dict[str, Any]:
    """The command, versions and machine that made a result."""
    return {
        "command": command,
        "versions": {name: version(name) for name in _VERSIONED},
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def _of_setting(
    setting: Setting, methods: Sequence[Method], plan: Plan, folder: Path
) -> Iterator[Task]:
    single = tuple(method for method in methods if method.name not in RECIPES)
    for seed in plan.seeds:
        yield Task(setting, (seed,), plan.rows, single, folder)
    for method in methods:
        if method.name in RECIPES:
            yield Task(setting, tuple(plan.seeds), plan.rows, (method,), folder)
