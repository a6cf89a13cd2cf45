"""Tables between files and the estimator: the columns it models, and all others as they are."""

from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.kept_columns import (
    asked_covariates,
    kept_names,
    some_beside,
)
from elsewhere.cli.labels import row_domains
from elsewhere.cli.missing import with_missing
from elsewhere.crossed_labels import parted
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.table_numbers import missing_as_null, numbers, text_numbers
from elsewhere.datasets.table_reading import no_column
from elsewhere.datasets.tables import TableFile, open_table
from elsewhere.estimators import DomainCounterfactual


def read_known(
    estimator: DomainCounterfactual, path: str, source: str | None
) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """(the columns of the model, the domain of every row, covariates) of a table."""
    return read_to_judge(estimator, path, source)[:3]


def read_to_judge(
    estimator: DomainCounterfactual, path: str, source: str | None
) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any], pd.DataFrame | None]:
    """The same of a table to judge, and other columns of some of its rows."""
    file = joined_file(open_table(path), estimator.domain_name_)
    names = feature_names(estimator)
    check_columns(file, [*names, *kept_names(estimator)])
    table = with_missing(estimator, file, file.read())
    X = frame(file, table, names, 1, estimator.space_.levels)
    kept = asked_covariates(estimator, file, table, 1)
    labels, sites = row_domains(estimator, file, table, source), parted(estimator.domain_name_)
    known = [*names, *kept_names(estimator), estimator.domain_name_, *sites]
    return X, labels, kept, some_beside(file, table, known)


def feature_names(estimator: DomainCounterfactual) -> list[str]:
    """The columns that the model was fitted to, which must have had names."""
    if not estimator.space_.columns.named:
        raise ValueError(
            "the model was fitted to an array without column names; use it from Python, or fit it "
            "again to a table."
        )
    return [str(name) for name in estimator.space_.columns.names]


def frame(
    file: TableFile,
    table: pa.Table,
    names: Sequence[str],
    first: int,
    levels: Collection[Hashable] = (),
    read: dict[str, pa.ChunkedArray] | None = None,
) -> pd.DataFrame:
    """Some columns as numbers or, where they have levels, as they are; rows count from `first`.

    Those whose numbers were `read` before are not read again; they are taken out of there.
    """
    index, read = pd.RangeIndex(first, first + table.num_rows), read or {}
    if all(name in read and read[name].type == pa.float64() for name in names):
        values = np.empty((len(names), len(index)))
        for row, name in zip(values, names, strict=True):
            row[:] = read.pop(name).to_numpy()
        return pd.DataFrame(values.T, index).set_axis(list(names), axis=1)
    columns = [
        level_column(file, table[name]).set_axis(index)
        if name in levels
        else (read[name] if name in read else numbers(file, table, name)).to_numpy()
        for name in names
    ]
    return pd.DataFrame(dict(enumerate(columns)), index).set_axis(list(names), axis=1)


def level_column(file: TableFile, column: pa.ChunkedArray) -> pd.Series:
    """Levels of any type: of CSV, numbers where all are, else text."""
    if not file.is_text:
        return column.to_pandas()
    found = text_numbers(column)
    return (missing_as_null(column) if found is None else found).to_pandas()


def check_columns(file: TableFile, names: Sequence[str]) -> None:
    """Raise where the table lacks a column."""
    known = set(file.schema.names)
    if missing := [name for name in names if name not in known]:
        raise no_column(file.name, missing, file.schema.names)
