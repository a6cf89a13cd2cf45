"""Rows of domains that a model does not know, from a file into the model."""

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from elsewhere.cli.crossed import called
from elsewhere.cli.kept_columns import asked_covariates, kept_names
from elsewhere.cli.labels import column_labels, labels_by_text, str_of_int
from elsewhere.cli.missing import with_missing
from elsewhere.cli.tables import check_columns, feature_names, frame
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.tables import TableError, TableFile, open_table
from elsewhere.estimators import DomainCounterfactual


def add_domains(
    estimator: DomainCounterfactual, data: str, source: str | None
) -> dict[Hashable, int]:
    """Add every new domain of the table to the model; how many rows each has."""
    file = joined_file(open_table(data), estimator.domain_name_)
    names = feature_names(estimator)
    check_columns(file, [*names, *kept_names(estimator)])
    table, added = with_missing(estimator, file, file.read()), {}
    for label, rows in _by_label(estimator, file, table, source):
        own = table.filter(pa.array(rows))
        X = frame(file, own, names, 1, estimator.space_.levels)
        estimator.add_domain(X, label, **asked_covariates(estimator, file, own, 1))
        added[label] = len(X)
    if not added:
        raise TableError(
            f"{data} has no rows of a new domain; the model knows {list(estimator.domains_)} "
            "already. Name a new one with --from, or in the column of domains."
        )
    return added


def _by_label(
    estimator: DomainCounterfactual, file: TableFile, table: pa.Table, source: str | None
) -> Iterator[tuple[Hashable, np.ndarray]]:
    """Each new label with the rows that have it."""
    known, name = labels_by_text(estimator), estimator.domain_name_
    has_column = name is not None and str(name) in file.schema.names
    if source is None and not has_column:
        raise TableError(
            f"{file.name} has no column {name!r} with the rows' domains. Add it, or name the new "
            "domain of all rows with --from."
        )
    if source is not None and has_column:
        raise ValueError(f"remove --from: {file.name} has the domain column {name!r}.")
    if source is not None:
        labels = [str(called(estimator.crossing_, known, source))]
        codes = np.zeros(table.num_rows, int)
    else:
        codes, labels = column_labels(table, str(name), file)
    for code in np.unique(codes):
        if str(labels[code]) not in known:
            yield _like(estimator, labels[code]), codes == code


def _like(estimator: DomainCounterfactual, label: Any) -> Hashable:
    """A number where all known labels are numbers and this reads like one."""
    whole = all(d != str(d) and str_of_int(str(d)) for d in estimator.domains_)
    return int(label) if whole and str_of_int(str(label)) else label
