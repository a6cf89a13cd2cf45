"""Kept columns between files and the estimator: covariates, and conditions on rows."""

from collections.abc import Collection, Hashable, Sequence
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.covariates.columns import Category, Number
from elsewhere.covariates.left_out import MOST_ROWS
from elsewhere.covariates.words import kind
from elsewhere.datasets.conditions import read_condition
from elsewhere.datasets.table_numbers import is_number, missing_as_null, numbers, text_numbers
from elsewhere.datasets.table_reading import no_column
from elsewhere.datasets.tables import TableError, TableFile
from elsewhere.estimators import DomainCounterfactual

TAKEN = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}  # rows of views cannot be


def kept_frame(
    file: TableFile, table: pa.Table, names: Sequence[str], first: int
) -> pd.DataFrame | None:
    """The columns to keep: numbers where all cells are, else categories; None where there are none.

    Rows count from `first`.
    """
    if not names:
        return None
    columns = [_read(file, table, name) for name in names]
    index = pd.RangeIndex(first, first + table.num_rows)
    return pd.DataFrame(dict(enumerate(columns)), index).set_axis(list(names), axis=1)


def some_beside(
    file: TableFile, table: pa.Table, known: Collection[Hashable]
) -> pd.DataFrame | None:
    """The other columns of at most MOST_ROWS rows, evenly spread, by row from 1; None for none."""
    some = np.unique(np.linspace(0, len(table) - 1, min(len(table), MOST_ROWS)).astype(int))
    fields = [f for f in table.schema if f.name not in known and not pa.types.is_nested(f.type)]
    taken = pa.schema([f.with_type(TAKEN.get(f.type, f.type)) for f in fields])
    rest = table.select(taken.names).cast(taken).take(some)
    found = kept_frame(file, rest, taken.names, 1)
    return None if found is None else found.set_axis(some + 1)


def kept_names(estimator: DomainCounterfactual) -> list[str]:
    """The covariates that a question must have."""
    known = estimator.covariates_
    return [] if known is None else [str(name) for name in known.names]


def kept_columns(estimator: DomainCounterfactual) -> dict[str, str]:
    """How each covariate enters: linear, smooth, or with how many levels."""
    known = estimator.covariates_
    columns = () if known is None else known.design.basis.columns
    return {str(column.name): kind(column) for column in columns}


def asked_covariates(
    estimator: DomainCounterfactual, file: TableFile, table: pa.Table, first: int
) -> dict[str, Any]:
    """{"covariates": those of the rows asked about}, read as they were fitted; {} for none."""
    known = estimator.covariates_
    if known is None:
        return {}
    columns = {c.name: _as_fitted(c, file, table) for c in known.design.basis.columns}
    index = pd.RangeIndex(first, first + table.num_rows)
    return {"covariates": pd.DataFrame(columns, index)}


@singledispatch
def _as_fitted(column: Number, file: TableFile, table: pa.Table) -> Any:
    return numbers(file, table, str(column.name)).to_pandas().to_numpy()


@_as_fitted.register
def _levels_as_fitted(column: Category, file: TableFile, table: pa.Table) -> Any:
    levels = {str(level): level for level in column.levels}
    text = _as_text(file, table, str(column.name))
    return [levels.get(v, v) if v is not None else None for v in text]


def kept_like(like: pd.DataFrame, file: TableFile, table: pa.Table, first: int = 1) -> pd.DataFrame:
    """Covariates of another file, each read as numbers or as categories as it is in `like`."""
    columns = [
        numbers(file, table, name).to_pandas().to_numpy()
        if pd.api.types.is_numeric_dtype(like[name])
        else _as_text(file, table, name)
        for name in like.columns
    ]
    index = pd.RangeIndex(first, first + table.num_rows)
    return pd.DataFrame(dict(enumerate(columns)), index).set_axis(like.columns, axis=1)


def rows_where(file: TableFile, table: pa.Table, condition: str | None) -> np.ndarray | None:
    """Which rows the condition is true for; None where there is none."""
    if condition is None:
        return None
    read = read_condition(condition)
    if missing := [name for name in read.columns if name not in table.column_names]:
        raise no_column(file.name, missing, table.column_names)
    mask = read.holds(table.select(read.columns).to_pandas())
    if not mask.any():
        raise TableError(f"no row of {file.name} has {condition}. Widen --learn-on.")
    return mask


def _read(file: TableFile, table: pa.Table, name: str) -> Any:
    column = table[name]
    found = column if is_number(column.type) else text_numbers(column) if file.is_text else None
    return found.to_pandas().to_numpy() if found is not None else _as_text(file, table, name)


def _as_text(file: TableFile, table: pa.Table, name: str) -> list[str | None]:
    column = missing_as_null(table[name]) if file.is_text else table[name]
    return [None if value is None else str(value) for value in column.to_pylist()]
