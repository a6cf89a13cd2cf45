"""Tables between files and the estimator: the columns it models, and all others as they are."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.kept import asked_covariates, kept_frame, kept_names, rows_where
from elsewhere.cli.kinds import domain_called
from elsewhere.datasets.table_columns import Sorted, sort_columns
from elsewhere.datasets.table_numbers import missing_as_null, numbers
from elsewhere.datasets.tables import TableError, TableFile, open_table
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.labels import Codes


class Labelled(NamedTuple):
    """A table to fit: the columns to model, the domain of every row, and what is carried, why.

    Also the columns to keep, and which rows to learn from, where either was asked for.
    """

    X: pd.DataFrame
    labels: pd.Series
    carried: dict[str, str]
    kept: pd.DataFrame | None = None
    learn_on: np.ndarray | None = None


def read_labelled(
    path: str,
    domain: str,
    columns: Sequence[str] | None,
    na: Sequence[str] = (),
    drop: bool = False,
    keep: Sequence[str] = (),
    learn_on: str | None = None,
) -> Labelled:
    """The table of a file; rows count from 1.

    Args:
        path: of the file.
        domain: the column that says where a row came from.
        columns: those to model; None for all that hold amounts.
        na: text that means a missing value, beside what usually does.
        drop: leave out rows with a missing value in a modelled column.
        keep: covariates: columns that stay as they are, and whose effects are no difference.
        learn_on: a condition on the rows to learn from.
    """
    file = open_table(path)
    check_columns(file, [domain, *(columns or []), *keep])
    if both := [name for name in keep if name in (domain, *(columns or []))]:
        raise TableError(f"--keep must not name {both}, which --domain or --columns name too.")
    table = _with_missing(file, file.read(), na, domain)
    found = (
        sort_columns(file, table.drop_columns(list(keep)), domain)
        if columns is None
        else Sorted(tuple(columns), {})
    )
    if not found.modelled:
        raise TableError(f"{path} must have a column of amounts beside {domain!r}; none is one.")
    if domain in found.modelled:
        raise TableError(f"--columns must not name the domain's column {domain!r}.")
    columns = found.modelled
    if drop:
        table = _without_gaps(file, table, columns)
    codes, labels = column_labels(table, domain, file)
    if file.is_text and all(str_of_int(label) for label in labels):
        labels = [int(label) for label in labels]
    X = frame(file, table, columns, 1)
    domains = pd.Series(repeated(labels, codes), index=X.index, name=domain, dtype=object)
    kept, learnt = kept_frame(file, table, keep, 1), rows_where(file, table, learn_on)
    return Labelled(X, domains, found.carried, kept, learnt)


def _with_missing(file: TableFile, table: pa.Table, na: Sequence[str], domain: str) -> pa.Table:
    if not na or not file.is_text:
        return table
    for i, name in enumerate(table.column_names):
        if name != domain:
            table = table.set_column(i, name, missing_as_null(table[name], na))
    return table


def _without_gaps(file: TableFile, table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The rows whose modelled columns are all there."""
    gaps = np.any([numbers(file, table, name).is_null().to_numpy() for name in columns], axis=0)
    if gaps.all():
        raise TableError(f"every row of {file.name} has a missing value in a modelled column.")
    return table.filter(pa.array(~gaps))


def read_known(
    estimator: DomainCounterfactual, path: str, source: str | None
) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """(the columns of the model, the domain of every row, covariates) of a table to judge."""
    file = open_table(path)
    names = feature_names(estimator)
    check_columns(file, [*names, *kept_names(estimator)])
    table = file.read()
    kept = asked_covariates(estimator, file, table, 1)
    return frame(file, table, names, 1), row_domains(estimator, file, table, source), kept


def feature_names(estimator: DomainCounterfactual) -> list[str]:
    """The columns that the model was fitted to, which must have had names."""
    if not estimator.space_.columns.named:
        raise ValueError(
            "the model was fitted to an array without column names; use it from Python, or fit it "
            "again to a table."
        )
    return [str(name) for name in estimator.space_.columns.names]


def frame(file: TableFile, table: pa.Table, names: Sequence[str], first: int) -> pd.DataFrame:
    """Some columns as numbers, the rows counted from `first`."""
    columns = [numbers(file, table, name).to_pandas().to_numpy() for name in names]
    index = pd.RangeIndex(first, first + table.num_rows)
    return pd.DataFrame(dict(enumerate(columns)), index).set_axis(list(names), axis=1)


def check_columns(file: TableFile, names: Sequence[str]) -> None:
    """Raise where the table lacks a column."""
    if missing := [name for name in names if name not in file.schema.names]:
        raise TableError(f"{file.name} has no column {missing}; it has {file.schema.names}.")


def column_labels(table: pa.Table, name: str, file: TableFile) -> tuple[Codes, list[Any]]:
    """(code of every row, the different labels) in a column, none missing."""
    column = table[name].combine_chunks()
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    labels = encoded.dictionary.to_pylist()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    blank = [i for i, label in enumerate(labels) if label == "" or label != label]
    missing = np.flatnonzero(~np.isfinite(codes) | np.isin(codes, blank))
    if len(missing):
        raise TableError(
            f"column {name!r} of {file.name} must name a domain in every row; row {missing[0] + 1} "
            "has none."
        )
    return codes.astype(int), labels


def row_domains(
    estimator: DomainCounterfactual, file: TableFile, table: pa.Table, source: str | None
) -> np.ndarray:
    """The model's domain of every row: from the column that the model knows, or from --from."""
    known, name = labels_by_text(estimator), estimator.domain_name_
    has_column = name is not None and str(name) in file.schema.names
    if source is not None:
        if has_column:
            raise ValueError(f"leave --from out: {file.name} has the domain column {name!r}.")
        return repeated([domain_called(known, source)], np.zeros(table.num_rows, int))
    if name is None:
        raise ValueError("the model does not know the name of its domain column: say --from.")
    if not has_column:
        raise TableError(
            f"{file.name} has no column {name!r} with the rows' domains. Add it, or say --from."
        )
    codes, labels = column_labels(table, str(name), file)
    present = set(np.unique(codes).tolist())
    domains = [domain_called(known, str(d)) if i in present else d for i, d in enumerate(labels)]
    return repeated(domains, codes)


def repeated(labels: Sequence[Hashable], codes: Codes) -> np.ndarray:
    """The label at each code, as an array of objects."""
    column = np.empty(len(labels), object)
    for i, label in enumerate(labels):
        column[i] = label
    return column[codes]


def labels_by_text(estimator: DomainCounterfactual) -> dict[str, Hashable]:
    """The domains by what their labels read like."""
    return {str(d): d for d in estimator.domains_}


def str_of_int(text: str) -> bool:
    """Whether the text is just how an integer is written."""
    return text.isascii() and text.removeprefix("-").isdigit() and str(int(text)) == text
