"""Numbers in the columns of a table, read out of text where the file is CSV."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.tables import TableError, TableFile

Column = pa.ChunkedArray | pa.Array
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type holds integers or floats."""
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def numbers(file: TableFile, table: pa.Table, name: str) -> pa.ChunkedArray:
    """The column as numbers; an error naming its first value where it holds none."""
    column = plain_numbers(table[name])
    if is_number(column.type):
        return column
    found = text_numbers(column) if file.is_text else None
    if found is None:
        value = next((v for v in column.to_pylist() if v not in MISSING), None)
        raise TableError(
            f"column {name!r} of {file.name} must hold numbers; got {column.type}, e.g. {value!r}."
        )
    return found


def plain_numbers(column: Column) -> Column:
    """Decimals, and fractions that are stored as a dictionary, as floats; all else as it is."""
    coded = pa.types.is_dictionary(column.type) and pa.types.is_floating(column.type.value_type)
    return column.cast(pa.float64()) if coded or pa.types.is_decimal(column.type) else column


def missing_as_null(column: pa.ChunkedArray, also: Sequence[str] = ()) -> pa.ChunkedArray:
    """The text without spaces around it; null where it means that a value is missing."""
    trimmed = pc.utf8_trim_whitespace(column)  # type: ignore[attr-defined]
    words = pa.array([*MISSING, *also])
    blank = pc.is_in(trimmed, value_set=words)  # type: ignore[attr-defined]
    return pc.if_else(blank, pa.scalar(None, pa.string()), trimmed)  # type: ignore[attr-defined]


def text_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Integers, else floats, with null for what is missing; None where there is other text."""
    present = missing_as_null(column)
    if present.null_count == len(present):
        return None
    for kind in (pa.int64(), pa.float64()):
        try:
            return present.cast(kind)
        except pa.ArrowInvalid:
            continue
    return None
