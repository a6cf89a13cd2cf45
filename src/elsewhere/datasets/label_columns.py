"""The labels in a column of a table, and which row has which."""

from typing import Any

import numpy as np
import pyarrow as pa
from jaxtyping import Int

from elsewhere.datasets.table_reading import TableError


def encoded(column: pa.ChunkedArray | pa.Array, name: str, file: str) -> pa.DictionaryArray:
    """The column as places among its labels.

    Args:
        column: text, numbers, dates, or a dictionary of these.
        name: of the column, for messages.
        file: what the table is called there.
    """
    if pa.types.is_nested(column.type):
        raise TableError(
            f"column {name!r} of {file} must name a domain in every row, as text, numbers or dates "
            f"do; got {column.type}. Choose another column, or take one field out of it."
        )
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def row_labels(
    column: pa.ChunkedArray, name: str, file: str
) -> tuple[Int[np.ndarray, " n"], list[Any]]:
    """(code of every row, the different labels); none may be missing."""
    coded = encoded(column, name, file)
    labels, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy(zero_copy_only=False)
    blank = [i for i, label in enumerate(labels) if label == "" or label != label]
    missing = np.flatnonzero(~np.isfinite(codes) | np.isin(codes, blank))
    if len(missing):
        raise TableError(
            f"column {name!r} of {file} must name a domain in every row; row {missing[0] + 1} has "
            "none."
        )
    return codes.astype(int), labels
