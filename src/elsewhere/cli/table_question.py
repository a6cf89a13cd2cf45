"""A question about a table: which columns the answer has, and the answers batch by batch."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.answer_text import AnswerText
from elsewhere.cli.crossed import Target, domain_columns
from elsewhere.cli.far_values import Unusual
from elsewhere.cli.kept_columns import asked_covariates
from elsewhere.cli.kinds import domain_called
from elsewhere.cli.labels import labels_by_text, row_domains
from elsewhere.cli.missing import with_missing
from elsewhere.cli.tables import feature_names, frame
from elsewhere.crossed_labels import parted
from elsewhere.datasets.ahead import each_ahead
from elsewhere.datasets.tables import TableError, TableFile
from elsewhere.estimators import DomainCounterfactual, Link
from elsewhere.estimators.arrow_cells import (
    answer_type,
    answered,
    answered_columns,
    as_type,
)
from elsewhere.estimators.arrow_mover import ArrowMover

Batch = TypeVar("Batch", pa.Table, pa.RecordBatch)


@dataclass(frozen=True)
class TableQuestion:
    """What is asked of a model about a file, and the columns of the answer."""

    estimator: DomainCounterfactual
    file: TableFile
    source: str | None
    spread: bool
    every: bool
    interval: float | None = None
    fill: bool = False
    text: AnswerText | None = None
    pairs: list[Any] | None = None

    @cached_property
    def unusual(self) -> Unusual:
        """What was seen of values that are too far out."""
        return Unusual(self.estimator, self.file)

    @property
    def domain(self) -> str:
        """The column of domains; "domain" where the model knows of none."""
        return str(self.estimator.domain_name_ or "domain")

    @property
    def domains(self) -> Sequence[str]:
        """The columns of domains: one, unless they are crossed."""
        crossing = self.estimator.crossing_
        return [self.domain] if crossing is None else crossing.names

    @property
    def ranged(self) -> bool:
        """Whether each modelled column has a low and a high one beside it."""
        return self.spread or self.interval is not None

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the table in their order, then those that are new."""
        here = [f for f in self.file.schema if not (self._crossed and f.name == self.domain)]
        fields = [pa.field(f.name, self._type(f)) for f in here]
        if self.every:
            new = [name for name in self.domains if name not in self.file.schema.names]
            new += [f"{name}_from" for name in self.domains]
            fields += [pa.field(name, pa.string()) for name in new]
        if self.ranged:
            fields += [
                pa.field(f"{name}_{end}", self._type(self.file.schema.field(name)))
                for name in answered_columns(self.estimator)
                for end in ("low", "high")
            ]
        names = [field.name for field in fields]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise TableError(
                f"{self.file.name} has columns {twice}, which the answer adds: rename."
            )
        return pa.schema(fields, metadata=self.file.schema.metadata)

    def answers(self, target: Target) -> Iterator[pa.Table]:
        """The answers of one target, batch by batch; rows count from 1 in messages."""
        named = self.source is None or self.source in labels_by_text(self.estimator)
        if named and not (self.file.is_text or self.ranged or self.every or self._crossed):
            there = target.by_row(np.empty(0, object))
            return each_ahead(self._mover(there), self._watched(self._batches()))
        batches = self.file.batches() if self.text is None else self.text.batches()
        return each_ahead(
            lambda part: self._answer(part[0], part[1], target), self._watched(batches)
        )

    def _watched(self, batches: Iterable[Batch]) -> Iterator[tuple[int, Batch]]:
        return self.unusual.watched(numbered(batches))

    def _answer(self, first: int, batch: pa.Table, target: Target) -> pa.Table:
        labels = row_domains(self.estimator, self.file, batch, self.source)
        levels = self.estimator.space_.levels
        known = with_missing(self.estimator, self.file, batch)
        X = frame(self.file, known, feature_names(self.estimator), first, levels)
        kept = asked_covariates(self.estimator, self.file, batch, first)
        there = target.by_row(labels)
        stays = np.asarray(labels == there, bool)
        columns = {
            name: self._cells(name, column, batch, X, stays)
            for name, column in self._columns(X, labels, there, kept).items()
        } | self._domains(batch, labels, there)
        old = {name: batch[name] for name in batch.column_names}
        return _table(old | columns, self.schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for table in self.file.batches():
            yield from table.combine_chunks().to_batches()

    def _mover(self, target: Hashable) -> Callable[[tuple[int, pa.RecordBatch]], pa.Table]:
        """For a file of numbers, with nothing added: the function that engines run, too."""
        known = labels_by_text(self.estimator)
        source = None if self.source is None else domain_called(known, self.source)
        move, name = ArrowMover(self.estimator, target, source, self.fill), self.file.name
        return lambda part: pa.Table.from_batches([move(part[1], first=part[0], name=name)])

    def _columns(
        self, X: pd.DataFrame, labels: np.ndarray, target: Any, kept: dict[str, Any]
    ) -> dict[str, Any]:
        asked = {"source": labels, "target": target, "fill": self.fill} | kept
        moved = self._with_totals(self.estimator.counterfactual(X, **asked))
        answer = {name: moved[name] for name in answered_columns(self.estimator)}
        if self.ranged:
            ends = [self._with_totals(end) for end in self._ends(X, labels, target, kept)]
            for name in answered_columns(self.estimator):
                answer |= {
                    f"{name}_{e}": x[name] for e, x in zip(("low", "high"), ends, strict=True)
                }
        return answer

    def _with_totals(self, answer: pd.DataFrame) -> pd.DataFrame:
        return answer if self.text is None else self.text.with_totals(answer)

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
        text = self.text
        new = pa.array(column, from_pandas=True) if text is None else text.cells(of, column)
        link = self.estimator.links_.get(of)
        zero = (X[of] == 0).to_numpy() if link is not None and link.zeros else False
        kept = np.where(X[of].isna().to_numpy(), not self.fill, stays | zero)
        typed = self.file.is_text and not pa.types.is_string(kind)  # the text of a gap is no number
        old = pa.array(X[of], from_pandas=True) if typed else batch[of].combine_chunks()
        return answered(old, new, kept, kind)

    def _ends(
        self, X: pd.DataFrame, labels: np.ndarray, target: Any, kept: dict[str, Any]
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """(low, high): over the equally good models, or of the interval."""
        if self.interval is None:
            return self.estimator.spread(X, source=labels, target=target, **kept)
        asked = {"source": labels, "target": target, "level": self.interval}
        asked |= {} if self.pairs is None else {"pairs": self.pairs}
        return self.estimator.interval(X, **asked, **kept)

    def _domains(self, batch: pa.Table, labels: np.ndarray, target: Any) -> dict[str, Any]:
        new: dict[str, Any] = {}
        if self.every or {*self.domains} <= {*batch.column_names}:
            new = domain_columns(self.domains, target, self.schema, batch)
        if self.every:
            parts = [parted(label) if self._crossed else (str(label),) for label in labels]
            for name, part in zip(self.domains, zip(*parts, strict=True), strict=True):
                new[f"{name}_from"] = list(part)
        return new

    @property
    def _crossed(self) -> bool:
        return len(self.domains) > 1

    def _type(self, field: pa.Field) -> pa.DataType:
        """That of the column, unless the answer cannot be written in it."""
        link: Link | None = self.estimator.links_.get(field.name)
        total = field.name in self.estimator.space_.columns.totals
        if self.text is not None:
            return field.type
        if not self.file.is_text or (link is None and not total):
            return answer_type(self.estimator, field)
        if link is None:
            return pa.float64()
        if field.name in self.estimator.space_.levels:
            return field.type
        return pa.int64() if link.whole else pa.float64()


def numbered(batches: Iterable[Batch]) -> Iterator[tuple[int, Batch]]:
    """Every batch with the number of its first row, counted from 1."""
    first = 1
    for batch in batches:
        yield first, batch
        first += batch.num_rows


def _table(columns: dict[str, Any], schema: pa.Schema) -> pa.Table:
    arrays = [as_type(_array(columns[field.name]), field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def _array(column: Any) -> pa.ChunkedArray | pa.Array:
    return column if hasattr(column, "cast") else pa.array(column)  # Arrow's own can be cast
