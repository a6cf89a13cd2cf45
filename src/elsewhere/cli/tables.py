"""Tables between files and the estimator: the columns it models, and all others as they are."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.crossed import domain_name
from elsewhere.cli.kept_columns import (
    asked_covariates,
    kept_frame,
    kept_names,
    rows_where,
    some_beside,
)
from elsewhere.cli.labels import check_spaces, column_labels, repeated, row_domains, str_of_int
from elsewhere.cli.missing import marked_missing, with_missing, without_gaps
from elsewhere.cli.options import no_twice
from elsewhere.crossed_labels import parted
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.many_files import is_many, open_many
from elsewhere.datasets.sample import sampled
from elsewhere.datasets.table_columns import Sorted, sort_columns
from elsewhere.datasets.table_numbers import missing_as_null, numbers, text_numbers
from elsewhere.datasets.table_reading import no_column
from elsewhere.datasets.tables import TableError, TableFile, open_table
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.levels import is_levels


class Labelled(NamedTuple):
    """A table to fit: the columns to model, the domain of every row, and what is carried, why.

    Also the columns to keep, and which rows to learn from, where either was asked for; and which
    rows were drawn, where not all were, with the `whole`: all of them, batch by batch, to be
    read once. `beside` has other columns of some rows, whose index says which.
    """

    X: pd.DataFrame
    labels: pd.Series
    carried: dict[str, str]
    kept: pd.DataFrame | None = None
    learn_on: np.ndarray | None = None
    note: str = ""
    whole: Iterable[tuple[pd.DataFrame, pd.Series]] | None = None
    beside: pd.DataFrame | None = None


def read_labelled(
    path: str,
    domain: str,
    columns: Sequence[str] | None,
    na: Sequence[str] = (),
    missing: str = "keep",
    links: str | Mapping[str, Any] = "auto",
    keep: Sequence[str] = (),
    learn_on: str | None = None,
    most: int | None = None,
    seed: int = 0,
    summed: Sequence[str] = (),
) -> Labelled:
    """The table of a file, or of many; rows count from 1.

    Args:
        path: of the file.
        domain: the column that says where a row came from, or several of them, as site,scanner.
        columns: those to model; None for all that hold amounts.
        na: text that means a missing value, beside what usually does.
        missing: of rows with a missing value in a modelled column: keep, drop or refuse.
        links: as `DomainCounterfactual` takes them; columns that it names are modelled.
        keep: covariates: columns that stay as they are, and whose effects are no difference.
        learn_on: a condition on the rows to learn from.
        most: rows of each domain, from which on a sample is drawn; None for all.
        seed: of that sample.
        summed: totals and parts of sums, which are modelled or recomputed.
    """
    file = open_many(path) if is_many(path) else open_table(path)
    domain = domain_name(file.schema.names, domain)
    sites = [domain] if domain in file.schema.names else list(parted(domain))
    for option, named in (("--domain", sites), ("--columns", columns or []), ("--keep", keep)):
        no_twice(option, named)
    check_columns(file, [*sites, *(columns or []), *keep, *summed])
    if both := [name for name in keep if name in (*sites, *(columns or []))]:
        raise TableError(f"--keep must not name {both}, which --domain or --columns name too.")
    drawn = sampled(file, domain, most, seed)
    carried = {n: "an identifier" for n in drawn.counting if n not in (*keep, *sites)}
    carried = {} if columns is not None else carried
    table = drawn.table
    for name in sites if len(sites) > 1 else ():
        check_spaces(file, name, column_labels(table, name, file)[1])
    gone = [*carried, *(name for name in sites if name != domain)]
    table = marked_missing(file, table.drop_columns(gone), na, domain)
    named = links_by_column(links)
    check_columns(file, [*named])
    found = (
        sort_columns(file, table.drop_columns(list(keep)), domain, [*named, *summed])
        if columns is None
        else Sorted(tuple(columns), {})
    )
    if not found.modelled:
        raise TableError(f"{path} must have a column of amounts beside {domain!r}; none is one.")
    if named_twice := [name for name in sites if name in found.modelled]:
        raise TableError(f"--columns must not name the domain's column {named_twice[0]!r}.")
    columns, values = found.modelled, found.values
    if missing != "keep":
        there = without_gaps(file, table, columns, refuse=missing == "refuse")
        table = table.filter(there)
        for name in values:
            values[name] = values[name].filter(there)
    codes, labels = column_labels(table, domain, file)
    check_spaces(file, domain, labels)
    if file.is_text and all(str_of_int(label) for label in labels):
        labels = [int(label) for label in labels]
    levels = columns_with_levels(links)
    kept, learnt = kept_frame(file, table, keep, 1), rows_where(file, table, learn_on)
    beside = some_beside(file, table, [domain, *columns, *keep])
    note, unread = drawn.note, [name for name in columns if name not in values]
    table = table.select([domain, *unread])
    del drawn  # whose text need not be held beside the numbers read of it
    X = frame(file, table, columns, 1, levels, values)
    pa.default_memory_pool().release_unused()
    domains = pd.Series(repeated(labels, codes), index=X.index, name=domain, dtype=object)
    plain = len(sites) == 1 and not na and not keep and learn_on is None and missing == "keep"
    whole = _every_row(file, domain, labels, columns, levels) if note and plain else None
    return Labelled(X, domains, found.carried | carried, kept, learnt, note, whole, beside)


def _every_row(
    file: TableFile,
    domain: str,
    known: Sequence[Hashable],
    columns: Sequence[str],
    levels: Collection[Hashable],
) -> Iterator[tuple[pd.DataFrame, pd.Series]]:
    """All rows of the file, of which a sample was drawn, batch by batch, with their domains."""
    by_text, first = {str(label): label for label in known}, 1
    for table in file.batches():
        codes, labels = column_labels(table, domain, file)
        X = frame(file, table, columns, first, levels)
        yield X, pd.Series(repeated([by_text[str(d)] for d in labels], codes), index=X.index)
        first += table.num_rows


def links_by_column(links: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """The links of the columns that are named; none where one word is for all columns."""
    match links:
        case {**named}:
            return named
    return {}


def columns_with_levels(links: str | Mapping[str, Any]) -> list[str]:
    """The columns that are asked to have levels."""
    return [name for name, link in links_by_column(links).items() if is_levels(link)]


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
