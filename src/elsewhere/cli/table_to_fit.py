"""A table to fit: the columns to model, the domain of every row, and what is carried, and why."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.crossed import domain_name
from elsewhere.cli.kept_columns import kept_frame, rows_where, some_beside
from elsewhere.cli.labels import check_spaces, column_labels, read_labels, repeated
from elsewhere.cli.missing import marked_missing, without_gaps
from elsewhere.cli.options import no_twice
from elsewhere.cli.tables import check_columns, frame
from elsewhere.crossed_labels import parted
from elsewhere.datasets.many_files import is_many, open_many
from elsewhere.datasets.sample import Sample, sampled
from elsewhere.datasets.table_columns import Sorted, sort_columns
from elsewhere.datasets.tables import TableError, TableFile, open_table
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
    _check_named(file, sites, columns or [], keep, summed)
    drawn = sampled(file, domain, most, seed)
    carried = {} if columns is not None else _identifiers(drawn, [*keep, *sites])
    table = _without_identifiers(file, drawn.table, sites, carried)
    table = marked_missing(file, table, na, domain)
    found = _sorted(file, table, domain, columns, keep, [*links_by_column(links), *summed])
    _check_modelled(file, found, domain, sites)
    if missing != "keep":
        needed = [*found.modelled, *(keep if missing == "drop" else ())]
        table = _complete_rows(file, table, found, needed, refuse=missing == "refuse")
    codes, labels = read_labels(table, domain, file)
    check_spaces(file, domain, labels)
    kept, learnt = kept_frame(file, table, keep, 1), rows_where(file, table, learn_on)
    beside = some_beside(file, table, [domain, *found.modelled, *keep])
    note, levels = drawn.note, columns_with_levels(links)
    table = table.select([domain, *(n for n in found.modelled if n not in found.values)])
    del drawn  # whose text need not be held beside the numbers read of it
    X = frame(file, table, found.modelled, 1, levels, found.values)
    pa.default_memory_pool().release_unused()
    domains = pd.Series(repeated(labels, codes), index=X.index, name=domain, dtype=object)
    plain = len(sites) == 1 and not na and not keep and learn_on is None and missing == "keep"
    whole = _every_row(file, domain, labels, found.modelled, levels) if note and plain else None
    return Labelled(X, domains, found.carried | carried, kept, learnt, note, whole, beside)


def _check_named(
    file: TableFile,
    sites: Sequence[str],
    columns: Sequence[str],
    keep: Sequence[str],
    summed: Sequence[str],
) -> None:
    """Raise where an option names a column twice, or one that the file lacks or another names."""
    for option, named in (("--domain", sites), ("--columns", columns), ("--keep", keep)):
        no_twice(option, named)
    check_columns(file, [*sites, *columns, *keep, *summed])
    if both := [name for name in keep if name in (*sites, *columns)]:
        raise TableError(f"--keep must not name {both}, which --domain or --columns name too.")


def _identifiers(drawn: Sample, asked: Sequence[str]) -> dict[str, str]:
    """The columns that number the rows of the files, none of those asked for, with the reason."""
    return {name: "an identifier" for name in drawn.counting if name not in asked}


def _without_identifiers(
    file: TableFile, table: pa.Table, sites: Sequence[str], carried: Collection[str]
) -> pa.Table:
    """The rows without identifiers; columns of domains, where several, in one that joins them."""
    several = sites if len(sites) > 1 else ()
    for name in several:
        check_spaces(file, name, column_labels(table, name, file)[1])
    return table.drop_columns([*carried, *several])


def _sorted(
    file: TableFile,
    table: pa.Table,
    domain: str,
    columns: Sequence[str] | None,
    keep: Sequence[str],
    named: Sequence[str],
) -> Sorted:
    """The columns to model: those asked for, or all of amounts and those that an option names."""
    check_columns(file, named)
    if columns is not None:
        return Sorted(tuple(columns), {})
    return sort_columns(file, table.drop_columns(list(keep)), domain, named)


def _check_modelled(file: TableFile, found: Sorted, domain: str, sites: Sequence[str]) -> None:
    if not found.modelled:
        raise TableError(
            f"{file.name} must have a column of amounts beside {domain!r}; none is one."
        )
    if named_twice := [name for name in sites if name in found.modelled]:
        raise TableError(f"--columns must not name the domain's column {named_twice[0]!r}.")


def _complete_rows(
    file: TableFile, table: pa.Table, found: Sorted, needed: Sequence[str], *, refuse: bool
) -> pa.Table:
    """The rows without gaps in the columns needed, and in `found` what was read of these alone."""
    there = without_gaps(file, table, needed, refuse=refuse)
    for name in found.values:
        found.values[name] = found.values[name].filter(there)
    return table.filter(there)


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
