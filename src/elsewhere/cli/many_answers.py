"""Answers about many files: the same files, in the same folders, elsewhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from elsewhere.cli.answer_progress import moving_bar
from elsewhere.cli.answers import asked_of, said, targets_of
from elsewhere.cli.crossed import Target
from elsewhere.cli.kinds import Question
from elsewhere.datasets.many_files import Part, parts_of
from elsewhere.datasets.tables import TableError, writing_table
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.arrow_cells import answered_columns
from elsewhere.estimators.labels import EVERY


def write_many(estimator: DomainCounterfactual, question: Question) -> dict[str, Any]:
    """One answer for each file of a directory or a pattern; each appears whole or not at all.

    Where folders are named after the domain, as site=north, an answer lies in the folder of its
    target, and below it in one that says where its rows were seen: site=south/site_from=north.
    """
    parts, out = parts_of(question.data), Path(question.out)
    targets = targets_of(estimator, question)
    _check_out(out, question, parts)
    domain = str(estimator.domain_name_ or "domain")
    _check_keys(estimator, parts[0], domain, question)
    notes: list[str] = []
    with moving_bar(len(parts)) as pace:
        for part in parts:
            place = str(out / moved_path(part.relative, domain, targets[0]))
            asked = asked_of(estimator, question, part.open(), place)
            schema = pa.schema([f for f in asked.schema if f.name not in part.keys])
            with writing_table(place, schema.with_metadata(asked.schema.metadata)) as write:
                pace.write(asked, targets, _without(part, write))
            notes += asked.unusual.notes()
    if not pace.rows:
        raise TableError(f"{question.data} holds no rows, only column names.")
    return said(estimator, question, targets, pace.rows, notes) | {"files": len(parts)}


def moved_path(relative: Path, domain: str, target: Target) -> Path:
    """The place of the answer: site=north/a.parquet → site=south/site_from=north/a.parquet."""
    folders = []
    for part in relative.parent.parts:
        name, equals, value = part.partition("=")
        named = bool(equals) and name == domain
        here = f"{name}={quote(str(target), safe='')}"
        folders += [here, f"{name}_from={value}"] if named else [part]
    return Path(*folders, relative.name)


def _without(part: Part, write: Callable[[pa.Table], None]) -> Callable[[pa.Table], None]:
    """Writes a table without the columns that folders name."""
    return lambda table: write(table.drop_columns(list(part.keys)) if part.keys else table)


def _check_out(out: Path, question: Question, parts: list[Part]) -> None:
    if out.is_file():
        raise NotADirectoryError(f"{out} is a file; the answers about many files need a directory.")
    if out.is_dir() and any(out.iterdir()) and not question.force:
        raise ValueError(
            f"{out} already contains files. Add --force to replace them, or name another."
        )
    folder = out.resolve()
    if any(folder in part.path.resolve().parents for part in parts):
        raise ValueError(f"{out} is read and would be replaced. Name another directory.")
    if Path(question.data).is_dir() and Path(question.data).resolve() in folder.parents:
        raise ValueError(f"{out} lies in {question.data}, which is read. Name another directory.")


def _check_keys(
    estimator: DomainCounterfactual, part: Part, domain: str, question: Question
) -> None:
    if moved := [name for name in part.keys if name in answered_columns(estimator)]:
        raise TableError(
            f"the names of folders hold the columns {moved}, which the model moves. Write the "
            "tables with these columns in them."
        )
    names = () if estimator.crossing_ is None else estimator.crossing_.names
    if named := [name for name in part.keys if name in names]:
        raise TableError(
            f"the names of folders hold {named[0]!r}, one of several columns of domains. Write the "
            "tables with that column in them."
        )
    if domain in part.keys and question.to == EVERY:
        raise ValueError(
            f"--to {EVERY} needs the domains in a column of the tables, but here the names of "
            "folders hold them. Move to one domain at a time."
        )
