"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Model = Annotated[Path, typer.Argument(help="A model that `elsewhere fit` wrote.")]
Data = Annotated[
    str,
    typer.Argument(
        help="A .csv, .parquet or .feather file, - is CSV on stdin; or a folder of images with one "
        "sub-folder a domain."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print a summary as JSON on stdout.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what exists already.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="The domain of all, where the table has no column, or the images no sub-folder, that "
        "says it.",
    ),
]
Invariants = Annotated[str, typer.Option(help="Tables: columns that must not change, as a,b,c.")]
Planted = Annotated[
    bool, typer.Option(help="Tables: refit to rows drawn from the model, beside all baselines.")
]


def check_free(path: str | Path, force: bool) -> None:
    """Raise where a file would be replaced without having been asked for."""
    if not force and Path(path).is_file():
        raise ValueError(f"{path} exists already. Add --force to replace it, or name another file.")


def words(text: str) -> list[str]:
    """The parts of a,b,"c,d": commas separate, quotes keep them."""
    import csv

    return [part.strip() for part in next(csv.reader([text]), []) if part.strip()]


def read_k(text: str) -> int | Literal["auto"] | None:
    """The number of mechanisms that differ: a number, auto, or None for dense."""
    if text in ("auto", "dense"):
        return None if text == "dense" else "auto"
    if not text.isdigit():
        raise ValueError(f"--k must be auto, dense or a number; got {text!r}.")
    return int(text)
