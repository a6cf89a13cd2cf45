"""Labels of domains between files and models: read, checked, and looked up by their text."""

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from elsewhere.cli.crossed import called
from elsewhere.cli.kinds import domain_called
from elsewhere.crossed_labels import parted
from elsewhere.datasets.label_columns import row_labels
from elsewhere.datasets.tables import TableError, TableFile
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.labels import Codes
from elsewhere.saving.labels import to_json

UNKNOWN = "unknown"  # --from unknown: rows may come from none of the model's domains
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{0,15})?([eE][-+]?\d{1,2})?", re.ASCII)
_UNSEEN = re.compile("[\u200b-\u200d\u2060\ufeff]")  # spaces and joiners of no width


def check_labels(labels: Iterable[Hashable]) -> None:
    """Raise, before a fit rather than after, for labels that cannot be saved or told apart."""
    seen: dict[str, Hashable] = {}
    for label in labels:
        to_json(label)
        other = seen.setdefault(_reading(label), label)
        if other != label:
            raise ValueError(
                f"domains must not be called {other!a} and {label!a}, which differ only in spaces, "
                "in invisible characters or in how a number is written. Merge them, or rename one."
            )


def _reading(label: Hashable) -> str:
    """The label without what nobody sees; 1.0 and 1e0 read like 1, and 007 like nothing else."""
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", str(label)).strip())
    if not _NUMBER.fullmatch(text):
        return text
    value = float(text)
    return repr(int(value) if value.is_integer() else value)


def column_labels(table: pa.Table, name: str, file: TableFile) -> tuple[Codes, list[Any]]:
    """(code of every row, the different labels) in a column, none missing."""
    return row_labels(table[name], name, file.name)


def read_labels(table: pa.Table, name: str, file: TableFile) -> tuple[Codes, list[Any]]:
    """The same to fit, with whole numbers where all labels of a text file are written as such."""
    codes, labels = column_labels(table, name, file)
    if file.is_text and all(str_of_int(label) for label in labels):
        labels = [int(label) for label in labels]
    return codes, labels


def check_spaces(file: TableFile, domain: str, labels: Sequence[Any]) -> None:
    """Raise where two labels differ by spaces alone, which is nearly always a slip."""
    texts = [label for label in labels if label == str(label)]
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
