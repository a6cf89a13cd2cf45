"""A table of answers from a table of questions, batch by batch."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.kept import asked_covariates, kept_names
from elsewhere.cli.kinds import domain_called
from elsewhere.cli.tables import (
    check_columns,
    feature_names,
    frame,
    labels_by_text,
    row_domains,
)
from elsewhere.datasets.tables import TableError, TableFile, open_table, writing_table
from elsewhere.estimators import DomainCounterfactual, Link

EVERY = "all"


def write_answers(
    estimator: DomainCounterfactual,
    data: str,
    out: str,
    to: str,
    source: str | None,
    spread: bool,
    interval: float | None = None,
) -> dict[str, Any]:
    """Write the answers and say what was written; one pass over the data for each target."""
    known = labels_by_text(estimator)
    targets = list(estimator.domains_) if to == EVERY else [domain_called(known, to)]
    file = open_table(data)
    check_columns(file, [*feature_names(estimator), *kept_names(estimator)])
    asked = Asked(estimator, file, source, spread, every=to == EVERY, interval=interval)
    written = 0
    with writing_table(out, asked.schema) as write:
        for target in targets:
            for answer in asked.answers(target):
                write(answer)
                written += answer.num_rows
        if not written:
            raise TableError(f"{data} holds no rows, only column names.")
    return {
        "out": out,
        "to": [str(d) for d in targets],
        "rows": written // len(targets),
        "rows_written": written,
        "columns": [str(name) for name in estimator.space_.columns.inside],
    }


@dataclass(frozen=True)
class Asked:
    """What is asked of a model about a file, and the columns of the answer."""

    estimator: DomainCounterfactual
    file: TableFile
    source: str | None
    spread: bool
    every: bool
    interval: float | None = None

    @property
    def domain(self) -> str:
        """The column of domains; "domain" where the model knows of none."""
        return str(self.estimator.domain_name_ or "domain")

    @property
    def ranged(self) -> bool:
        """Whether each modelled column has a low and a high one beside it."""
        return self.spread or self.interval is not None

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table in their order, then those that are new."""
        fields = [pa.field(f.name, self._type(f)) for f in self.file.schema]
        if self.every and self.domain not in self.file.schema.names:
            fields.append(pa.field(self.domain, pa.string()))
        fields += [pa.field(f"{self.domain}_from", pa.string())] if self.every else []
        if self.ranged:
            fields += [
                pa.field(f"{name}_{end}", self._type(self.file.schema.field(name)))
                for name in map(str, self.estimator.links_)
                for end in ("low", "high")
            ]
        names = [field.name for field in fields]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise TableError(
                f"{self.file.name} has columns {twice}, which the answer adds: rename."
            )
        return pa.schema(fields, metadata=self.file.schema.metadata)

    def answers(self, target: Hashable) -> Iterator[pa.Table]:
        """The answers of one target, batch by batch; rows count from 1 in messages."""
        first = 1
        for batch in self.file.batches():
            labels = row_domains(self.estimator, self.file, batch, self.source)
            X = frame(self.file, batch, feature_names(self.estimator), first)
            kept = asked_covariates(self.estimator, self.file, batch, first)
            columns = self._columns(X, labels, target, kept) | self._domains(batch, labels, target)
            old = {name: batch[name] for name in batch.column_names}
            yield _table(old | columns, self.schema)
            first += batch.num_rows

    def _columns(
        self, X: pd.DataFrame, labels: np.ndarray, target: Hashable, kept: dict[str, Any]
    ) -> dict[str, Any]:
        moved = self.estimator.counterfactual(X, source=labels, target=target, **kept)
        answer = {str(name): moved[name] for name in self.estimator.links_}
        if self.ranged:
            ends = self._ends(X, labels, target, kept)
            for name in self.estimator.links_:
                answer |= {
                    f"{name}_{e}": x[name] for e, x in zip(("low", "high"), ends, strict=True)
                }
        return answer

    def _ends(
        self, X: pd.DataFrame, labels: np.ndarray, target: Hashable, kept: dict[str, Any]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """(low, high): over the equally good models, or of the interval."""
        if self.interval is None:
            return self.estimator.spread(X, source=labels, target=target, **kept)
        asked = {"source": labels, "target": target, "level": self.interval}
        return self.estimator.interval(X, **asked, **kept)

    def _domains(self, batch: pa.Table, labels: np.ndarray, target: Hashable) -> dict[str, Any]:
        new: dict[str, Any] = {}
        if self.every or self.domain in batch.column_names:
            kind = self.schema.field(self.domain).type
            new[self.domain] = _repeated(target, kind, batch.num_rows)
        if self.every:
            new[f"{self.domain}_from"] = [str(label) for label in labels]
        return new

    def _type(self, field: pa.Field) -> pa.DataType:
        """That of the column, unless the answer cannot be written in it."""
        link: Link | None = self.estimator.links_.get(field.name)
        if link is None or pa.types.is_floating(field.type):
            return field.type
        if self.file.is_text:
            return pa.int64() if link.whole else pa.float64()
        return field.type if link.whole else pa.float64()


def _repeated(label: Hashable, kind: pa.DataType, n: int) -> pa.Array:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    value = str(label) if pa.types.is_string(plain) or pa.types.is_large_string(plain) else label
    column = pa.repeat(pa.scalar(value, plain), n)
    return column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column


def _table(columns: dict[str, Any], schema: pa.Schema) -> pa.Table:
    arrays = [_array(columns[field.name]).cast(field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def _array(column: Any) -> pa.ChunkedArray | pa.Array:
    return column if hasattr(column, "cast") else pa.array(column)  # Arrow's own can be cast
