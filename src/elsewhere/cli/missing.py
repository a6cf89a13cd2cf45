"""Missing values in tables: text that means one, and rows that have one."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from elsewhere.datasets.table_numbers import missing_as_null
from elsewhere.datasets.tables import TableError, TableFile
from elsewhere.estimators import DomainCounterfactual


def marked_missing(file: TableFile, table: pa.Table, na: Sequence[str], domain: str) -> pa.Table:
    """The table of text with null for what means a missing value, but in the column of domains."""
    if not na or not file.is_text:
        return table
    for i, name in enumerate(table.column_names):
        if name != domain:
            table = table.set_column(i, name, missing_as_null(table[name], na))
    return table


def with_missing(estimator: DomainCounterfactual, file: TableFile, table: pa.Table) -> pa.Table:
    """The table with null for text that meant a missing value in the fit."""
    return marked_missing(file, table, estimator.missing_text_, str(estimator.domain_name_))


def without_gaps(
    file: TableFile, table: pa.Table, columns: Sequence[str], *, refuse: bool
) -> pa.Array:
    """Which rows have no gap in these columns."""
    missing = [_nulls(file, table, name) for name in columns]
    gaps = np.any(missing, axis=0)
    if refuse and gaps.any():
        row = int(np.flatnonzero(gaps)[0])
        name = next(c for c, there in zip(columns, missing, strict=True) if there[row])
        raise TableError(
            f"{file.name} has missing values: NaN at row {row + 1}, column {name!r} "
            f"({int(np.sum(missing))} such values in all). Leave --missing refuse out to use them."
        )
    if gaps.all():
        raise TableError(
            f"every row of {file.name} has a missing value in a column that is needed."
        )
    return pa.array(~gaps)


def _nulls(file: TableFile, table: pa.Table, name: str) -> np.ndarray:
    column = missing_as_null(table[name]) if file.is_text else table[name]
    return column.is_null(nan_is_null=pa.types.is_floating(column.type)).to_numpy()
