"""One pure function from Arrow batch to Arrow batch: what every engine for large tables runs."""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.arrays import Codes
from elsewhere.covariates.columns import Category
from elsewhere.crossed_labels import parted
from elsewhere.datasets.joined_columns import with_joined
from elsewhere.datasets.label_columns import encoded
from elsewhere.datasets.table_numbers import is_number, plain_numbers
from elsewhere.datasets.table_reading import no_column
from elsewhere.datasets.tables import TableError
from elsewhere.errors import DomainError
from elsewhere.estimators.arrow_cells import (
    answer_type,
    answered,
    answered_columns,
    repeated_label,
    repeated_part,
)
from elsewhere.estimators.plain_rows import PlainRows, takes_plain_rows

if TYPE_CHECKING:
    from elsewhere.estimators.table_questions import TableQuestions


@dataclass(frozen=True)
class ArrowMover:
    """batch ↦ the same rows as if from `target`: same columns, same order, nothing remembered.

    It can be pickled, and answers in another process as it does here. Columns that the model does
    not know are carried through; the column of domains, where there is one, says the target.

    Attributes:
        estimator: a fitted one, of a table with named columns.
        target: the domain to move to.
        source: that of all rows; None where the column of domains says it.
        fill: whether missing entries are filled.
    """

    estimator: "TableQuestions"
    target: Hashable
    source: Hashable | None = None
    fill: bool = False

    def __post_init__(self) -> None:
        if not self.estimator.space_.columns.named:
            raise ValueError(
                "mover needs a model of named columns; this one was fitted to an array. Fit it to "
                "a DataFrame, or use counterfactual."
            )
        for name, label in (("target", self.target), ("source", self.source)):
            if label is not None and label not in self.estimator.domains_:
                known = list(self.estimator.domains_)
                raise DomainError(f"{name} must be a domain of the fit, {known}; got {label!r}.")
        if self.source is None and self.estimator.domain_name_ is None:
            raise ValueError("source must be given, because the model knows no column of domains.")

    def __reduce__(self) -> Any:
        header, arrays = self.estimator._describe()
        of = type(self.estimator)
        return _restored, (of, json.dumps(header), arrays, self.target, self.source, self.fill)

    @property
    def domain(self) -> str:
        """The column of domains; of crossed ones, the joined column."""
        return str(self.estimator.domain_name_)

    @property
    def domains(self) -> tuple[str, ...]:
        """The columns of domains: one, unless they are crossed."""
        crossing = self.estimator.crossing_
        return (self.domain,) if crossing is None else crossing.names

    @cached_property
    def _takes_plain(self) -> bool:
        return takes_plain_rows(self.estimator)

    @cached_property
    def _names(self) -> list[str]:
        """The columns that the model knows."""
        return [str(name) for name in self.estimator.space_.columns.names]

    @property
    def _parts(self) -> tuple[Any, ...]:
        """The target in every column of domains."""
        return (self.target,) if len(self.domains) == 1 else parted(self.target)

    def schema(self, asked: pa.Schema) -> pa.Schema:
        """Of the answers: that of the batch, but fractions where whole numbers were not modelled.

        Args:
            asked: the schema of the batches.
        """
        fields = [pa.field(f.name, answer_type(self.estimator, f)) for f in asked]
        return pa.schema(fields, metadata=asked.metadata)

    def __call__(
        self, batch: pa.RecordBatch, *, first: int = 1, name: str = "the batch"
    ) -> pa.RecordBatch:
        """The answers.

        Args:
            batch: the rows.
            first: the number of the first row, for messages.
            name: of the table, for messages.
        """
        self._check_columns(batch, name)
        schema = self.schema(batch.schema)
        if not batch.num_rows:
            return pa.RecordBatch.from_pylist([], schema)
        codes = self._codes(batch, first, name)
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns |= self._answers(batch, schema, codes, first, name)
        for of, part in zip(self.domains, self._parts, strict=True):
            if of in columns:
                repeated = repeated_label if len(self.domains) == 1 else repeated_part
                columns[of] = repeated(part, columns[of].type, batch.num_rows, columns[of])
        return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)

    def _answers(
        self, batch: pa.RecordBatch, schema: pa.Schema, codes: Codes, first: int, name: str
    ) -> dict[str, pa.Array]:
        """The columns that move: plain numbers in few passes, all else as a DataFrame."""
        here = self.estimator.domains_.index(self.target)
        if self._takes_plain and (x := _plain_rows(batch, self._names)) is not None:
            moved = PlainRows(self.estimator)(x, codes, np.full_like(codes, here))
            if moved is not None:
                columns = (pa.array(np.ascontiguousarray(column)) for column in moved.T)
                return dict(zip(self._names, columns, strict=True))
        index = pd.RangeIndex(first, first + batch.num_rows)
        X = self._features(batch, index, name)
        source = pd.Series(pd.Categorical.from_codes(codes, self.estimator.domains_))
        asked = {"source": source, "target": self.target, "fill": self.fill}
        moved = self.estimator.counterfactual(X, **asked, **self._covariates(batch, index, name))
        columns = {}
        for of in answered_columns(self.estimator):
            kind = schema.field(of).type
            kept = np.where(X[of].isna(), not self.fill, codes == here)
            columns[of] = answered(batch.column(of), moved[of], kept, kind)
        return columns

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One batch after the other, as Spark's `mapInArrow` asks for them."""
        return map(self, batches)

    def table(self, table: pa.Table) -> pa.Table:
        """The answers about a table, as Ray Data's `map_batches` asks for them."""
        parts = table.combine_chunks().to_batches()
        return pa.Table.from_batches(map(self, parts), self.schema(table.schema))

    def frame(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The answers about a DataFrame, as Dask's `map_partitions` asks for them."""
        return self.table(pa.Table.from_pandas(frame)).to_pandas()

    def _check_columns(self, batch: pa.RecordBatch, name: str) -> None:
        kept = self.estimator.covariates_
        needed = [*self.estimator.space_.columns.names, *(() if kept is None else kept.names)]
        needed += self.domains if self.source is None else []
        if missing := [str(c) for c in needed if str(c) not in batch.schema.names]:
            raise no_column(name, missing, batch.schema.names)
        if self.source is not None and {*self.domains} <= {*batch.schema.names}:
            raise ValueError(f"leave source out: {name} has the domain column {self.domain!r}.")

    def _codes(self, batch: pa.RecordBatch, first: int, name: str) -> Codes:
        """The position of every row's domain among those of the fit."""
        if self.source is not None:
            return np.full(batch.num_rows, self.estimator.domains_.index(self.source))
        column = self._joined(batch, name)
        coded = encoded(column, self.domain, name)
        labels = coded.dictionary.to_pylist()
        codes = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)  # type: ignore[attr-defined]
        positions = self._positions(labels, set(np.unique(codes).tolist()))
        found = positions[codes]  # the last stands for null
        if (found < 0).any():
            row = first + int(np.argmax(found < 0))
            raise TableError(
                f"column {self.domain!r} of {name} must name a domain in every row; row {row} has "
                "none."
            )
        return found

    def _joined(self, batch: pa.RecordBatch, name: str) -> pa.Array:
        if len(self.domains) == 1:
            return batch.column(self.domain)
        columns = pa.Table.from_batches([batch]).select(list(self.domains))
        return with_joined(columns, self.domain, name)[self.domain].combine_chunks()

    def _positions(self, labels: Sequence[Any], present: set[int]) -> Codes:
        """The position of every label, −1 where it is missing and, at the end, for null."""
        known = {str(d): i for i, d in enumerate(self.estimator.domains_)}
        blank = {i for i, label in enumerate(labels) if label in ("", None) or label != label}
        texts = {i: str(label) for i, label in enumerate(labels) if i in present - blank}
        if unknown := [text for text in texts.values() if text not in known]:
            raise ValueError(
                f"domain {unknown[0]!r} is not in the model; its domains are {list(known)}."
            )
        return np.array([known[texts[i]] if i in texts else -1 for i in range(len(labels))] + [-1])

    def _features(self, batch: pa.RecordBatch, index: pd.Index, name: str) -> pd.DataFrame:
        levels, columns = self.estimator.space_.levels, {}
        for of in self.estimator.space_.columns.names:
            column = batch.column(str(of))
            columns[of] = column.to_pandas() if of in levels else _numbers(column, str(of), name)
            if of in levels:
                columns[of].index = index
        return pd.DataFrame(columns, index, copy=False)

    def _covariates(self, batch: pa.RecordBatch, index: pd.Index, name: str) -> Mapping[str, Any]:
        kept, columns = self.estimator.covariates_, {}
        if kept is None:
            return {}
        for one in kept.design.basis.columns:
            column = batch.column(str(one.name))
            if isinstance(one, Category):
                levels = {str(level): level for level in one.levels}
                texts = [None if v is None else str(v) for v in column.to_pylist()]
                columns[one.name] = [levels.get(t, t) if t is not None else None for t in texts]
            else:
                columns[one.name] = _numbers(column, str(one.name), name)
        return {"covariates": pd.DataFrame(columns, index)}


def _plain_rows(batch: pa.RecordBatch, names: Sequence[str]) -> np.ndarray | None:
    """The columns as an array; None where one is not of float64, or has gaps."""
    columns = [batch.column(name) for name in names]
    if any(c.type != pa.float64() or c.null_count for c in columns):
        return None
    return np.stack([column.to_numpy() for column in columns], axis=1)


def _numbers(column: pa.Array, of: str, name: str) -> np.ndarray:
    plain = plain_numbers(column)
    if not is_number(plain.type):
        raise TableError(f"column {of!r} of {name} must hold numbers; got {column.type}.")
    return plain.to_numpy(zero_copy_only=False)


def _restored(
    of: "type[TableQuestions]",
    header: str,
    arrays: Sequence[np.ndarray],
    target: Hashable,
    source: Hashable | None,
    fill: bool,
) -> ArrowMover:
    from elsewhere.estimators.table_file import restore

    settings, fitted = restore(json.loads(header), arrays, any_precision=True)
    estimator = of(**settings)
    vars(estimator).update(fitted)
    return ArrowMover(estimator, target, source, fill)
