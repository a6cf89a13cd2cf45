"""Numbers in the columns of a table, read out of text where the file is CSV."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.cell_bytes import is_plain
from elsewhere.datasets.tables import TableError, TableFile

Column: TypeAlias = pa.ChunkedArray | pa.Array
FEW = 100
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "None")


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type holds integers or floats."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, however it is stored."""
    views = pa.types.is_string_view(kind)
    return views or pa.types.is_string(kind) or pa.types.is_large_string(kind)


def numbers(file: TableFile, table: pa.Table, name: str) -> pa.ChunkedArray:
    """The column as numbers; an error naming its first value where it holds none."""
    column = plain_numbers(table[name])
    if is_number(column.type):
        return column
    found = text_numbers(column) if file.is_text else None
    if found is None:
        value = next((v for v in column.to_pylist() if v not in MISSING), None)
        if value is None:
            raise TableError(f"column {name!r} of {file.name} must hold numbers; it has no value.")
        raise TableError(
            f"column {name!r} of {file.name} must hold numbers; got {column.type}, e.g. {value!r}."
        )
    return found


def plain_numbers(column: Column) -> Column:
    """Decimals, and fractions that are stored as a dictionary, as floats; all else as it is."""
    coded = pa.types.is_dictionary(column.type) and pa.types.is_floating(column.type.value_type)
    return column.cast(pa.float64()) if coded or pa.types.is_decimal(column.type) else column


def missing_as_null(
    column: pa.ChunkedArray | pa.Array, also: Sequence[str] = ()
) -> pa.ChunkedArray | pa.Array:
    """The text without spaces around it; null where it means that a value is missing."""
    if not also and is_plain(column):
        return column
    trimmed = pc.utf8_trim_whitespace(column)  # type: ignore[attr-defined]
    words = pa.array([*MISSING, *also])
    blank = pc.is_in(trimmed, value_set=words)  # type: ignore[attr-defined]
    return pc.if_else(blank, pa.scalar(None, pa.string()), trimmed)  # type: ignore[attr-defined]


def text_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Integers, else floats, with null for what is missing; None where there is other text."""
    present = missing_as_null(column)
    if present.null_count == len(present):
        return None
    floats = _cast(present, pa.float64())
    if floats is None:
        return _cast(present, pa.int64())  # as 0x1F
    return _number_column(present, floats, 0, len(present))


def _cast(cells: Column, kind: pa.DataType) -> Column | None:
    """The text as numbers; None where some is none.

    A few cells go first: a cast that fails names every cell that does, which takes long.
    """
    try:
        cells.slice(0, FEW).cast(kind)
        return cells.cast(kind)
    except pa.ArrowInvalid:
        return None


def text_numbers_of_each(
    columns: Sequence[pa.ChunkedArray],
) -> Sequence[pa.ChunkedArray | None]:
    """`text_numbers` of columns of one length, all at once where every cell is a number."""
    if len(columns) == 1:
        return [text_numbers(columns[0])]
    present = missing_as_null(one_after_the_other(columns))
    floats = _cast(present, pa.float64())
    if floats is None:
        return [text_numbers(column) for column in columns]
    rows = len(columns[0])
    return [_number_column(present, floats, i * rows, rows) for i in range(len(columns))]


def one_after_the_other(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray | pa.Array:
    """All cells of some columns of text; one column as it is, since it may be too long to join."""
    if len(columns) == 1:
        return columns[0]
    return pa.concat_arrays([pa.array([], pa.string()), *(x for c in columns for x in c.chunks)])


def _number_column(
    present: Column, floats: Column, start: int, rows: int
) -> pa.ChunkedArray | None:
    """What `text_numbers` makes of some of the cells, whose floats are known."""
    column, cells = floats.slice(start, rows), present.slice(start, rows)
    if column.null_count == rows:
        return None
    values = column.drop_null().to_numpy(zero_copy_only=False)
    whole = bool((values == np.rint(values)).all())  # else they are no integers
    as_integers = _cast(cells, pa.int64()) if whole else None
    found = column if as_integers is None else as_integers
    return found if isinstance(found, pa.ChunkedArray) else pa.chunked_array([found])
