"""Run an experiment's cells over seeds; what is done stays done."""

import json
import os
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from elsewhere.experiments.cells import Cell
from elsewhere.experiments.methods import run_cell
from elsewhere.report.page import write_whole

_VERSIONED = ("elsewhere", "jax", "jaxlib", "equinox", "flowjax", "numpy")


def sweep(
    cells: Sequence[Cell],
    seeds: Sequence[int],
    out: Path,
    *,
    rows: int = 100_000,
    auto: bool = False,
    tick: Callable[[str], None] = lambda _: None,
) -> pd.DataFrame:
    """All rows of all cells and seeds; each (cell, seed) is a file of its own, written once.

    An interrupted sweep, started again, goes on where it stopped. Cells of one shape come together,
    so that they share what is compiled.
    """
    folder = out / "done"
    for cell in sorted(cells, key=lambda cell: (cell.m, cell.num_domains)):
        for seed in seeds:
            path = folder / f"{cell.name}_n{rows}_auto{int(auto)}_s{seed}.json"
            if not path.exists():
                found = list(run_cell(cell, seed, rows=rows, auto=auto))
                write_whole(path, json.dumps(found).encode())
            tick(f"{cell.name} seed {seed}")
    return _collect(cells, seeds, folder, rows, auto)


def provenance(command: str) -> dict[str, Any]:
    """The command, versions and machine that made a result."""
    return {
        "command": command,
        "versions": {name: version(name) for name in _VERSIONED},
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def _collect(
    cells: Sequence[Cell], seeds: Sequence[int], folder: Path, rows: int, auto: bool
) -> pd.DataFrame:
    names = [f"{c.name}_n{rows}_auto{int(auto)}_s{s}.json" for c in cells for s in seeds]
    return pd.DataFrame([row for name in names for row in json.loads((folder / name).read_text())])
