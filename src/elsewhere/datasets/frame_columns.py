"""Which columns of a DataFrame hold no amounts, and why: by the rules for files."""

from collections.abc import Hashable
from numbers import Number
from typing import Any

import pyarrow as pa

from elsewhere.datasets.stray_cells import OfTable, check_no_stray_cells
from elsewhere.datasets.table_columns import why_no_amount
from elsewhere.datasets.table_numbers import is_number

DATES = "Mm"  # of NumPy: points in time, and durations


def why_no_amounts(X: Any) -> dict[Hashable, str]:
    """The reason, by column, of a pandas DataFrame; those that hold amounts are left out.

    A column of text most of whose cells are numbers raises, naming the cells.
    """
    found = {name: _why(name, X.iloc[:, j]) for j, name in enumerate(X.columns)}
    return {name: why for name, why in found.items() if why}


def _why(name: Hashable, column: Any) -> str:
    kind = getattr(column.dtype, "numpy_dtype", column.dtype)
    known = getattr(kind, "kind", "O")
    if hasattr(column.dtype, "categories"):
        return "categories"
    if known in "iuf":
        return _of_numbers(name, column)
    if known in DATES or hasattr(column.dtype, "freq"):
        return "dates or times"
    return "true or false" if known == "b" else _of_objects(name, column)


def _of_numbers(name: Hashable, column: Any) -> str:
    values = pa.chunked_array([pa.array(column, from_pandas=True)])
    return why_no_amount(str(name), values) if is_number(values.type) else ""


def _of_objects(name: Hashable, column: Any) -> str:
    """Of text, or of any objects: numbers among these are no reason, for they can be converted."""
    cells = [None if missing else cell for cell, missing in zip(column, column.isna(), strict=True)]
    present = [cell for cell in cells if cell is not None]
    if not present or not any(isinstance(cell, str) for cell in present):
        return _of_things(present)
    words = [None if cell is None else str(cell) for cell in cells]
    text = pa.chunked_array([pa.array(words, pa.string())])
    remedy = f"make them missing, as pandas.to_numeric(X[{name!r}], errors='coerce')"
    leave = "name the columns to model with columns=[…] and leave this one out"
    check_no_stray_cells(OfTable("X", 0, remedy, leave), str(name), text)
    return why_no_amount(str(name), text)


def _of_things(present: list[Any]) -> str:
    if present and all(isinstance(cell, bool) for cell in present):
        return "true or false"
    if any(isinstance(cell, Number) for cell in present):
        return ""
    return "no numbers" if present else "no value"
