"""Which columns of a table are amounts to be modelled, and why the others are not."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.column_meanings import no_amount
from elsewhere.datasets.table_numbers import (
    FEW,
    MISSING,
    is_number,
    is_text,
    missing_as_null,
    one_after_the_other,
    plain_numbers,
    text_numbers_of_each,
)
from elsewhere.datasets.tables import TableError, TableFile

NEARLY = 0.5  # share of cells that are numbers, from which on the others look like mistakes
SHOWN = 3
CELLS = 1 << 17  # that are read together
FEWEST = 10  # rows from which on two values, or no value twice, are no accident
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
_LEADING_ZERO, CODES = r"^0[0-9]+$", "codes with leading zeros"


@dataclass(frozen=True)
class Sorted:
    """The columns to model, and those that are carried through unchanged, with the reason.

    `values` has the numbers of those to model that were read on the way.
    """

    modelled: tuple[str, ...]
    carried: dict[str, str]
    values: dict[str, pa.ChunkedArray] = field(default_factory=dict)


def sort_columns(
    file: TableFile, table: pa.Table, domain: str, asked: Collection[str] = ()
) -> Sorted:
    """Amounts are modelled, and what is asked for; text, identifiers, two values are carried.

    A column of text most of whose cells are numbers is neither: it raises, naming the cells.
    """
    carried, read = {}, {}
    names = [name for name in table.column_names if name != domain]
    given = [name for name in names if name not in asked]
    size = max(1, CELLS // max(table.num_rows, 1))
    for start in range(0, len(given), size):
        group = given[start : start + size]
        columns = [plain_numbers(table[name]) for name in group]
        found = zip(group, columns, _numbers(file, columns), _coded(file, columns), strict=True)
        for name, column, values, coded in found:
            if reason := _why_carried(file, name, column, values, coded):
                carried[name] = reason
            elif values is not None:
                read[name] = values
    return Sorted(tuple(name for name in names if name not in carried), carried, read)


def _numbers(
    file: TableFile, columns: Sequence[pa.ChunkedArray]
) -> Sequence[pa.ChunkedArray | None]:
    if file.is_text:
        return text_numbers_of_each(columns)
    return [column if is_number(column.type) else None for column in columns]


def _coded(file: TableFile, columns: Sequence[pa.ChunkedArray]) -> Sequence[bool]:
    """Of text, whether a cell has a leading zero."""
    if not file.is_text:
        return [False] * len(columns)
    found = pc.match_substring_regex(one_after_the_other(columns), _LEADING_ZERO)  # type: ignore[attr-defined]
    cells = found.fill_null(False).to_numpy(zero_copy_only=False)
    return cells.reshape(len(columns), -1).any(axis=1).tolist()


def _why_carried(
    file: TableFile,
    name: str,
    column: pa.ChunkedArray,
    values: pa.ChunkedArray | None,
    coded: bool,
) -> str:
    if values is None:
        if file.is_text:
            _check_no_stray_cells(file, name, column)
        return _what(column)
    if coded:
        return CODES
    distinct = len(pc.unique(values.drop_null()))  # type: ignore[attr-defined]
    if distinct == 2 and len(values) >= FEWEST:
        return "two values"
    whole = pa.types.is_integer(values.type)
    if whole and distinct == len(values) >= FEWEST and _counts(values):
        return "an identifier"
    return no_amount(name, values) if distinct else ""


def _what(column: pa.ChunkedArray) -> str:
    kind = column.type
    coded = pa.types.is_dictionary(kind)
    if is_text(kind.value_type if coded else kind) and (cells := _all_numbers(column)):
        zeros = any(re.match(_LEADING_ZERO, cell) for cell in cells)
        return CODES if zeros else "numbers that the file has as text"
    if pa.types.is_boolean(kind):
        return "true or false"
    if coded:
        return "categories"
    return "dates or times" if pa.types.is_temporal(kind) else "no numbers"


def _all_numbers(column: pa.ChunkedArray) -> list[str]:
    """The first cells, if each reads as a number."""
    cells = [cell for cell in column.slice(0, FEW).to_pylist() if cell not in (None, *MISSING)]
    return cells if all(map(_number, cells)) else []


def _counts(values: pa.ChunkedArray) -> bool:
    """Whether the values are n, n + 1, n + 2, … in some order."""
    ends = pc.min_max(values).as_py()  # type: ignore[attr-defined]
    return ends["max"] - ends["min"] == len(values) - 1


def _check_no_stray_cells(file: TableFile, name: str, column: pa.ChunkedArray) -> None:
    """Raise where a few cells keep a column of numbers from being one."""
    cells = missing_as_null(column)
    stray = ((i, cell) for i, cell in enumerate(cells.to_pylist()) if cell and not _number(cell))
    present = len(cells) - cells.null_count
    wrong = list(stray)
    _check_no_disguise(file, name, wrong, present)
    if not present or 1 - len(wrong) / present < NEARLY:
        return
    shown = ", ".join(f"{cell!r} in row {i + 1}" for i, cell in islice(wrong, SHOWN))
    more = f" and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
    raise TableError(
        f"column {name!r} of {file.name} holds numbers but for {len(wrong)} of {present} cells: "
        f"{shown}{more}. Correct them; or say which text means a missing value, as --na '?'; or "
        "name the columns to model with --columns and leave this one out."
    )


def _check_no_disguise(
    file: TableFile, name: str, wrong: list[tuple[int, str]], present: int
) -> None:
    """Raise where most cells are numbers in another notation, which would be carried as text."""
    for what, (pattern, remedy) in DISGUISES.items():
        found = _of_one_form(pattern, wrong)
        if len(found) > NEARLY * present and len(found) >= len(wrong) * ALIKE:
            row, cell = found[0]
            raise TableError(
                f"column {name!r} of {file.name} holds numbers with {what}, as {cell!r} in row "
                f"{row + 1}. {remedy}, or name the columns to model with --columns and leave this "
                "one out."
            )


def _of_one_form(pattern: re.Pattern[str], cells: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The cells of that notation; where it has a unit, those of the commonest, if values differ."""
    found = [(i, cell, m.groups()) for i, cell in cells if (m := pattern.fullmatch(cell))]
    if not found or not pattern.groups:
        return [(i, cell) for i, cell, _ in found]
    common = Counter(groups for *_, groups in found).most_common(1)[0][0]
    alike = [(i, cell) for i, cell, groups in found if groups == common]
    return alike if len({cell for _, cell in alike}) >= FEWEST else []


def _number(text: str) -> bool:
    """Whether files have it as one; Python's `float` reads 1_000 and digits of any script, too."""
    if "_" in text or not text.isascii():
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
