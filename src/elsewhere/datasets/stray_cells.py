"""Cells that keep a column of numbers from being one: named, and never carried in silence."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa

from elsewhere.datasets.table_numbers import missing_as_null
from elsewhere.datasets.table_reading import TableError

NEARLY = 0.5  # share of cells that are numbers, from which on the others look like mistakes
SHOWN = 3
FEWEST = 10  # rows from which on many values, all with the same unit, are no accident
ALIKE = 0.9  # of the cells that are no numbers, that are so in one and the same notation
_SET_APART = r"[ '’\u00a0\u2009\u202f]"  # thousands, beside by commas and points
_THOUSANDS = rf"(?:(?:,\d{{3}})+|(?:{_SET_APART}\d{{3}})+)(?:\.\d+)?|(?:\.\d{{3}}){{2,}}"
_DECIMALS = rf"[-+]?\d+(?:(?:\.|{_SET_APART})\d{{3}})*,\d+"
DISGUISES = {
    "thousands separators": (
        re.compile(rf"[-+]?\d{{1,3}}(?:{_THOUSANDS})"),
        "Write them without, as 1234",
    ),
    "decimal commas": (re.compile(_DECIMALS), "Write them with points, as 1.5"),
    "percent signs": (re.compile(r"[-+]?\d+(?:[.,]\d+)?\s*%"), "Write them without, as 12.5"),
    "currency signs": (
        re.compile(r"[-+]?[$€£¥]\s*[-+]?[\d.,]+|[-+]?[\d.,]+\s*[$€£¥]"),
        "Write them without, as 12.50",
    ),
    "limits of detection": (
        re.compile(r"[<>≤≥]=?\s*\d+(?:\.\d+)?"),
        "Write them as numbers, or as missing",
    ),
    "exponents written with D": (re.compile(r"[-+]?\d*\.?\d+[dD][-+]?\d+"), "Write 1.5E3"),
    "parentheses for a minus": (re.compile(r"\(\d+(?:\.\d+)?\)"), "Write them as -1.5"),
    "a spreadsheet's signs for text": (
        re.compile(r"'[-+]?\d+\.\d+|=\"[-+]?\d+\.\d+\""),
        "Write them without, as 1.5",
    ),
    "uncertainties": (
        re.compile(r"[-+]?\d+(?:\.\d+)?\s*(?:±|\+/-)\s*\d+(?:\.\d+)?"),
        "Write these to a column of their own",
    ),
    "signs for about": (re.compile(r"[~≈]\s*[-+]?\d+(?:\.\d+)?"), "Write them without, as 12.5"),
    "units": (
        re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\s*([a-zA-Zµμ°][a-zA-Zµμ°²³/^0-9]{0,11})"),
        "Write them without, as 12.5, with the unit in the column's name",
    ),
    "digits or signs of another script": (
        re.compile(r"[-+−–]?\d+(?:[.,٫]\d+)?"),
        "Write them as 12.5",
    ),
}


@dataclass(frozen=True)
class OfTable:
    """How to speak of a table, of its rows and of the remedies.

    Attributes:
        name: what the table is called.
        first: the number of its first row.
        missing: how to say which cells are missing.
        leave: how to leave a column out.
    """

    name: str
    first: int = 1
    missing: str = "say which text means a missing value, as --na '?'"
    leave: str = "name the columns to model with --columns and leave this one out"


def check_no_stray_cells(of: OfTable, name: str, column: pa.ChunkedArray) -> None:
    """Raise where a few cells keep a column of numbers from being one, or all are disguised."""
    cells = missing_as_null(column)
    stray = (
        (i, cell) for i, cell in enumerate(cells.to_pylist()) if cell and not reads_as_number(cell)
    )
    present = len(cells) - cells.null_count
    wrong = list(stray)
    _check_no_disguise(of, name, wrong, present)
    if not wrong or 1 - len(wrong) / present < NEARLY:
        return
    shown = ", ".join(f"{cell!r} in row {i + of.first}" for i, cell in islice(wrong, SHOWN))
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    raise TableError(
        f"column {name!r} of {of.name} holds numbers but for {len(wrong)} of {present} cells: "
        f"{shown}{more}. Correct them; or {of.missing}; or {of.leave}."
    )


def _check_no_disguise(of: OfTable, name: str, wrong: list[tuple[int, str]], present: int) -> None:
    """Raise where most cells are numbers in another notation, which would be carried as text."""
    for what, (pattern, remedy) in DISGUISES.items():
        found = _of_one_form(pattern, wrong)
        if len(found) > NEARLY * present and len(found) >= len(wrong) * ALIKE:
            row, cell = found[0]
            raise TableError(
                f"column {name!r} of {of.name} holds numbers with {what}, as {cell!r} in row "
                f"{row + of.first}. {remedy}, or {of.leave}."
            )


def _of_one_form(pattern: re.Pattern[str], cells: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The cells of that notation; where it has a unit, those of the commonest, if values differ."""
    found = [(i, cell, m.groups()) for i, cell in cells if (m := pattern.fullmatch(cell))]
    if not found or not pattern.groups:
        return [(i, cell) for i, cell, _ in found]
    common = Counter(groups for *_, groups in found).most_common(1)[0][0]
    alike = [(i, cell) for i, cell, groups in found if groups == common]
    return alike if len({cell for _, cell in alike}) >= FEWEST else []


def reads_as_number(text: str) -> bool:
    """Whether files have it as one; Python's `float` reads 1_000 and digits of any script, too."""
    if "_" in text or not text.isascii():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
