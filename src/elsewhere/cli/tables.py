"""Tables between files and the estimator: the columns it models, and all others as they are."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.crossed import called, domain_name
from elsewhere.cli.kept import asked_covariates, kept_frame, kept_names, rows_where
from elsewhere.cli.kinds import domain_called
from elsewhere.crossed_labels import parted
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.many_files import is_many, open_many
from elsewhere.datasets.sample import sampled
from elsewhere.datasets.table_columns import Sorted, sort_columns
from elsewhere.datasets.table_numbers import missing_as_null, numbers, text_numbers
from elsewhere.datasets.tables import TableError, TableFile, open_table
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.labels import Codes
from elsewhere.estimators.levels import is_levels

UNKNOWN = "unknown"  # --from unknown: rows may come from none of the model's domains


class Labelled(NamedTuple):
    """A table to fit: the columns to model, the domain of every row, and what is carried, why.

    Also the columns to keep, and which rows to learn from, where either was asked for; and which
    rows were drawn, where not all were, with the `whole`: all of them, batch by batch, to be
    read once.
    """

    X: pd.DataFrame
    labels: pd.Series
    carried: dict[str, str]
    kept: pd.DataFrame | None = None
    learn_on: np.ndarray | None = None
    note: str = ""
    whole: Iterable[tuple[pd.DataFrame, pd.Series]] | None = None


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
    table = _with_missing(file, table.drop_columns(gone), na, domain)
    named = list(links) if isinstance(links, Mapping) else []
    check_columns(file, named)
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
        there = _without_gaps(file, table, columns, refuse=missing == "refuse")
        table = table.filter(there)
        values = {name: column.filter(there) for name, column in values.items()}
    codes, labels = column_labels(table, domain, file)
    check_spaces(file, domain, labels)
    if file.is_text and all(str_of_int(label) for label in labels):
        labels = [int(label) for label in labels]
    levels = [name for name in named if is_levels(links[name])]  # type: ignore[index]
    X = frame(file, table, columns, 1, levels, values)
    domains = pd.Series(repeated(labels, codes), index=X.index, name=domain, dtype=object)
    kept, learnt = kept_frame(file, table, keep, 1), rows_where(file, table, learn_on)
    plain = len(sites) == 1 and not na and not keep and learn_on is None and missing == "keep"
    whole = _every_row(file, domain, labels, columns, levels) if drawn.note and plain else None
    return Labelled(X, domains, found.carried | carried, kept, learnt, drawn.note, whole)


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


def _with_missing(file: TableFile, table: pa.Table, na: Sequence[str], domain: str) -> pa.Table:
    if not na or not file.is_text:
        return table
    for i, name in enumerate(table.column_names):
        if name != domain:
            table = table.set_column(i, name, missing_as_null(table[name], na))
    return table


def _nulls(file: TableFile, table: pa.Table, name: str) -> np.ndarray:
    column = missing_as_null(table[name]) if file.is_text else table[name]
    return column.is_null(nan_is_null=pa.types.is_floating(column.type)).to_numpy()


def with_missing(estimator: DomainCounterfactual, file: TableFile, table: pa.Table) -> pa.Table:
    """The table with null for text that meant a missing value in the fit."""
    return _with_missing(file, table, estimator.missing_text_, str(estimator.domain_name_))


def _without_gaps(
    file: TableFile, table: pa.Table, columns: Sequence[str], *, refuse: bool
) -> pa.Array:
    """Which rows have no gap in the modelled columns."""
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
        raise TableError(f"every row of {file.name} has a missing value in a modelled column.")
    return pa.array(~gaps)


def read_known(
    estimator: DomainCounterfactual, path: str, source: str | None
) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """(the columns of the model, the domain of every row, covariates) of a table to judge."""
    file = joined_file(open_table(path), estimator.domain_name_)
    names = feature_names(estimator)
    check_columns(file, [*names, *kept_names(estimator)])
    table = with_missing(estimator, file, file.read())
    X = frame(file, table, names, 1, estimator.space_.levels)
    kept = asked_covariates(estimator, file, table, 1)
    return X, row_domains(estimator, file, table, source), kept


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
    read: Mapping[str, pa.ChunkedArray] = MappingProxyType({}),
) -> pd.DataFrame:
    """Some columns as numbers or, where they have levels, as they are; rows count from `first`.

    Those whose numbers were `read` before are not read again.
    """
    index = pd.RangeIndex(first, first + table.num_rows)
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


def check_spaces(file: TableFile, domain: str, labels: Sequence[Any]) -> None:
    """Raise where two labels differ by spaces alone, which is nearly always a slip."""
    texts = [label for label in labels if isinstance(label, str)]
    stray = [label for label in texts if label != label.strip()]
    if twins := [label for label in stray if label.strip() in texts]:
        raise TableError(
            f"column {domain!r} of {file.name} has the labels {twins[0]!r} and "
            f"{twins[0].strip()!r}, which differ by spaces alone. Remove the spaces, or rename one."
        )


def row_domains(
    estimator: DomainCounterfactual, file: TableFile, table: pa.Table, source: str | None
) -> np.ndarray:
    """The model's domain of every row: from the column that the model knows, or from --from."""
    known, name = labels_by_text(estimator), estimator.domain_name_
    has_column = name is not None and str(name) in file.schema.names
    if source == UNKNOWN and UNKNOWN not in known:
        return repeated([UNKNOWN], np.zeros(table.num_rows, int))
    if source is not None:
        if has_column:
            raise ValueError(f"remove --from: {file.name} has the domain column {name!r}.")
        asked = called(estimator.crossing_, known, source)
        found = _source_called(estimator, str(asked))
        return repeated([found], np.zeros(table.num_rows, int))
    if name is None:
        raise ValueError("the model does not know the name of its domain column: use --from.")
    if not has_column:
        missing = [n for n in parted(name) if n not in file.schema.names] or [name]
        raise TableError(
            f"{file.name} has no column {missing[0]!r} with the rows' domains. Add it, or use "
            "--from."
        )
    codes, labels = column_labels(table, str(name), file)
    present = set(np.unique(codes).tolist())
    domains = [
        _source_called(estimator, str(d)) if i in present else d for i, d in enumerate(labels)
    ]
    return repeated(domains, codes)


def _source_called(estimator: DomainCounterfactual, text: str) -> Hashable:
    """The domain whose label reads like this; the error names what to do about a new one."""
    known, crossing = labels_by_text(estimator), estimator.crossing_
    try:
        if crossing is not None and text not in known:
            crossing.check(text)
            return text
        return domain_called(known, text)
    except ValueError as error:
        raise ValueError(
            f"{error} Add it with elsewhere add-domain, or say --from {UNKNOWN}, which takes rows "
            "for those of any domain."
        ) from None


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
