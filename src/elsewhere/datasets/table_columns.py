"""Which columns of a table are amounts to be modelled, and why the others are not."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.column_meanings import no_amount
from elsewhere.datasets.stray_cells import OfTable, check_no_stray_cells, reads_as_number
from elsewhere.datasets.table_numbers import (
    FEW,
    MISSING,
    is_number,
    is_text,
    one_after_the_other,
    plain_numbers,
    text_numbers_of_each,
)
from elsewhere.datasets.tables import TableFile

CELLS = 1 << 17  # that are read together
FEWEST = 10  # rows from which on two values, or no value twice, are no accident
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
            if file.is_text and values is None:
                check_no_stray_cells(OfTable(file.name), name, column)
            numeric_code = coded and values is not None
            if reason := CODES if numeric_code else why_no_amount(name, column, values):
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


def why_no_amount(name: str, column: pa.ChunkedArray, values: pa.ChunkedArray | None = None) -> str:
    """Why a column holds no amounts; empty where it does.

    Args:
        name: of the column.
        column: its cells.
        values: the numbers they are; the cells themselves where these are numbers.
    """
    values = column if values is None and is_number(column.type) else values
    if values is None:
        return _what(column)
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
    return cells if all(map(reads_as_number, cells)) else []


def _counts(values: pa.ChunkedArray) -> bool:
    """Whether the values are n, n + 1, n + 2, … in some order."""
    ends = pc.min_max(values).as_py()  # type: ignore[attr-defined]
    return ends["max"] - ends["min"] == len(values) - 1
