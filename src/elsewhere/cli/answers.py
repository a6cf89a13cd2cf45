"""A table of answers from a table of questions, batch by batch."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.cli.cells import Style, style_of
from elsewhere.cli.kept import asked_covariates, kept_names
from elsewhere.cli.kinds import Question, domain_called
from elsewhere.cli.tables import (
    check_columns,
    feature_names,
    frame,
    labels_by_text,
    row_domains,
    with_missing,
)
from elsewhere.datasets.tables import TableError, TableFile, is_text, open_table, writing_table
from elsewhere.estimators import DomainCounterfactual, Link

EVERY = "all"


def write_answers(estimator: DomainCounterfactual, question: Question) -> dict[str, Any]:
    """Write the answers and say what was written; one pass over the data for each target."""
    known, data, out, to = labels_by_text(estimator), question.data, question.out, question.to
    targets = list(estimator.domains_) if to == EVERY else [domain_called(known, to)]
    file = open_table(data)
    check_columns(file, [*feature_names(estimator), *kept_names(estimator)])
    asked = Asked(
        estimator,
        file,
        question.source,
        question.spread,
        every=to == EVERY,
        interval=question.interval,
        fill=question.fill,
        as_text=file.is_text and is_text(out),
    )
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
    fill: bool = False
    as_text: bool = False

    @cached_property
    def styles(self) -> dict[str, Style]:
        """How the modelled columns of numbers are written, where the answer is text."""
        names = [str(n) for n in self.estimator.links_ if n not in self.estimator.space_.levels]
        batches = [with_missing(self.estimator, self.file, b) for b in self.file.batches()]
        return {name: style_of(batch[name] for batch in batches) for name in names}

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
            levels = self.estimator.space_.levels
            known = with_missing(self.estimator, self.file, batch)
            X = frame(self.file, known, feature_names(self.estimator), first, levels)
            kept = asked_covariates(self.estimator, self.file, batch, first)
            stays = np.array([label == target for label in labels], bool)
            columns = {
                name: self._cells(name, column, batch, X, stays)
                for name, column in self._columns(X, labels, target, kept).items()
            } | self._domains(batch, labels, target)
            old = {name: batch[name] for name in batch.column_names}
            yield _table(old | columns, self.schema)
            first += batch.num_rows

    def _columns(
        self, X: pd.DataFrame, labels: np.ndarray, target: Hashable, kept: dict[str, Any]
    ) -> dict[str, Any]:
        asked = {"source": labels, "target": target, "fill": self.fill} | kept
        moved = self.estimator.counterfactual(X, **asked)
        answer = {str(name): moved[name] for name in self.estimator.links_}
        if self.ranged:
            ends = self._ends(X, labels, target, kept)
            for name in self.estimator.links_:
                answer |= {
                    f"{name}_{e}": x[name] for e, x in zip(("low", "high"), ends, strict=True)
                }
        return answer

    def _cells(
        self, name: str, column: pd.Series, batch: pa.Table, X: pd.DataFrame, stays: np.ndarray
    ) -> pa.Array | pa.ChunkedArray:
        """One column of the answer; what stays is as it was, to the letter.

        Args:
            name: of the column, which may be a new one.
            column: the answers.
            batch: the table asked about.
            X: its modelled columns.
            stays: rows that are in their target already.
        """
        kind = self.schema.field(name).type
        of = name if name in batch.column_names else name.rpartition("_")[0]
        new = pa.array(column, from_pandas=True)
        if self.as_text and of in self.styles:
            texts = self.styles[of].written(column.to_numpy(float), self.estimator.links_[of])
            new = pa.array(texts, mask=column.isna().to_numpy())
        elif self.as_text:
            new = pa.array(column.astype(str), mask=column.isna().to_numpy())
        kept = np.where(X[of].isna(), not self.fill, stays)
        old = as_type(batch[of].combine_chunks(), kind)
        return pc.if_else(pa.array(kept), old, as_type(new, kind))  # type: ignore[attr-defined]

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
            known = batch[self.domain] if self.domain in batch.column_names else None
            new[self.domain] = _repeated(target, kind, batch.num_rows, known)
        if self.every:
            new[f"{self.domain}_from"] = [str(label) for label in labels]
        return new

    def _type(self, field: pa.Field) -> pa.DataType:
        """That of the column, unless the answer cannot be written in it."""
        link: Link | None = self.estimator.links_.get(field.name)
        kept = pa.types.is_floating(field.type) or pa.types.is_decimal(field.type)
        if link is None or kept or self.as_text or field.name in self.estimator.space_.levels:
            return field.type
        if self.file.is_text:
            return pa.int64() if link.whole else pa.float64()
        return field.type if link.whole else pa.float64()


def _repeated(
    label: Hashable, kind: pa.DataType, n: int, known: pa.ChunkedArray | None
) -> pa.Array:
    """The label n times; a category keeps all of its categories and their order."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    value = str(label) if pa.types.is_string(plain) or pa.types.is_large_string(plain) else label
    scalar = pa.scalar(value, plain)
    if not pa.types.is_dictionary(kind):
        return pa.repeat(scalar, n)
    labels = known.combine_chunks().dictionary if known is not None else pa.array([], plain)
    if not pc.any(pc.equal(labels, scalar)).as_py():  # type: ignore[attr-defined]
        labels = pa.concat_arrays([labels, pa.array([value], plain)])
    place = pc.index(labels, scalar).as_py()  # type: ignore[attr-defined]
    places = pa.repeat(pa.scalar(place, kind.index_type), n)
    return pa.DictionaryArray.from_arrays(places, labels, ordered=kind.ordered)


def _table(columns: dict[str, Any], schema: pa.Schema) -> pa.Table:
    arrays = [as_type(_array(columns[field.name]), field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def _array(column: Any) -> pa.ChunkedArray | pa.Array:
    return column if hasattr(column, "cast") else pa.array(column)  # Arrow's own can be cast


def as_type(column: Any, kind: pa.DataType) -> Any:
    """The column in this type; decimals are rounded to its places."""
    if column.type == kind:
        return column
    if pa.types.is_decimal(kind) and pa.types.is_floating(column.type):
        return pc.round(column, kind.scale).cast(kind, safe=False)  # type: ignore[attr-defined]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind)
