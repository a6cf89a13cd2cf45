"""The folder of an experiment's results: rows.csv, tables in Markdown, figures, made-by.json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from elsewhere.files import write_whole
from elsewhere.report.style import save

ROWS, MADE_BY = "rows.csv", "made-by.json"


def write_results(
    folder: Path,
    frame: pd.DataFrame,
    made_by: Mapping[str, Any],
    *,
    tables: Mapping[str, str],
    figures: Mapping[str, Figure],
) -> Path:
    """Write everything that an experiment has to show, each file whole or not at all.

    Args:
        folder: of the experiment.
        frame: its tidy rows, one per method, cell and seed.
        made_by: from `provenance`.
        tables: Markdown, by the name of the file without its ending.
        figures: by the name of the file without its ending.
    """
    write_whole(folder / ROWS, frame.to_csv(index=False).encode())
    write_made_by(folder, made_by)
    for name, text in tables.items():
        write_whole(folder / f"{name}.md", (text.rstrip("\n") + "\n").encode())
    for name, figure in figures.items():
        save(figure, folder / f"{name}.png")
    return folder


def write_made_by(folder: Path, made_by: Mapping[str, Any]) -> Path:
    """What made the results of a folder."""
    return write_whole(folder / MADE_BY, (json.dumps(made_by, indent=2) + "\n").encode())


def read_rows(folder: Path) -> pd.DataFrame:
    """The rows of an experiment as they were written; places along an axis are text."""
    return pd.read_csv(folder / ROWS, dtype={"at": str}, float_precision="round_trip")
