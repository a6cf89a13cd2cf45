"""Options that several commands share."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from elsewhere.files import is_device, never_replace, resolved

STDOUT = "-"

Model = Annotated[Path, typer.Argument(help="A model file written by `elsewhere fit`.")]
Data = Annotated[
    str,
    typer.Argument(
        help="A .csv, .tsv, .parquet or .feather file (- reads CSV from standard input); a "
        "directory or pattern of such files; or a folder of images with one sub-folder per domain."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print a summary as JSON to standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Source domain of all rows or images, if the data do not name it.",
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed.", min=0, max=2**32 - 1)]
Invariants = Annotated[
    str,
    typer.Option(
        "--invariants", "--invariant", help="Tables: columns that must not change, e.g. a,b,c."
    ),
]
Planted = Annotated[
    bool, typer.Option(help="Tables: compare with all baselines on rows simulated from the model.")
]


def check_free(path: str | Path, force: bool, *read: str | Path, answers: bool = False) -> None:
    """Raise, before the work starts, where the output cannot or must not be written.

    Args:
        path: of the output.
        force: whether a file may be replaced; without it, none that appears later either.
        read: what the command reads, which is never replaced.
        answers: whether the output may be a folder, or "-" for standard output.
    """
    out = Path(path)
    if str(path) == STDOUT and not answers:
        raise ValueError("--out must be the name of a file; got -. Give one.")
    if str(path) == STDOUT or is_device(out):
        return
    if out.is_dir() and not answers:
        raise IsADirectoryError(f"{path} is a directory; give the name of a file.")
    for one in map(Path, read):
        if out.exists() and one.exists() and not out.is_dir() and out.samefile(one):
            raise ValueError(f"{path} is an input and would be overwritten. Choose another file.")
    if not force and out.is_file():
        raise ValueError(
            f"{path} already exists. Add --force to overwrite it, or choose another file."
        )
    _check_writable(out)
    never_replace(out, not force)


def _check_writable(out: Path) -> None:
    """Raise unless the folder of the output, or the first one above it that exists, takes files."""
    above = next(one for one in resolved(out).parents if one.exists())
    if not above.is_dir():
        raise NotADirectoryError(f"{above} is not a directory, so {out} cannot be written.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise PermissionError(f"{above}: Permission denied, so {out} cannot be written.")


def words(text: str) -> list[str]:
    """The parts of a,b,"c,d": commas separate, quotes keep them."""
    import csv

    return [part.strip() for part in next(csv.reader([text]), []) if part.strip()]


def no_twice(option: str, names: Sequence[str]) -> None:
    """Raise where an option names something twice, which would count for no more than once."""
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{option} must name each column once; got {twice} twice. Remove one.")


def read_k(text: str) -> int | Literal["auto"] | None:
    """The number of mechanisms that differ: a number, auto, or None for dense."""
    if text in ("auto", "dense"):
        return None if text == "dense" else "auto"
    if not text.isdigit():
        raise ValueError(f"--k must be auto, dense or a number; got {text!r}.")
    return int(text)
