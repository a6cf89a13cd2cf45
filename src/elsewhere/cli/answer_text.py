"""The text of answers: as their columns were written, with totals that add up as written."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.cli.answer_cells import Measures, Style, measured, style_of
from elsewhere.cli.missing import with_missing
from elsewhere.datasets.ahead import ahead
from elsewhere.datasets.tables import TableFile
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.arrow_cells import answered_columns

SMALL = 2**28  # bytes of a table that is read once and kept


@dataclass(frozen=True)
class AnswerText:
    """How the answers about a file of text are written.

    Attributes:
        estimator: a fitted one.
        file: the table asked about.
    """

    estimator: DomainCounterfactual
    file: TableFile
    _small: list[pa.Table] = field(default_factory=list, repr=False, compare=False)

    @cached_property
    def styles(self) -> dict[str, Style]:
        """How the modelled columns of numbers are written."""
        levels = {str(name) for name in self.estimator.space_.levels}
        names = [name for name in answered_columns(self.estimator) if name not in levels]
        found: dict[str, list[Measures | None]] = {name: [] for name in names}
        for batch in ahead(self._noted()):
            known = with_missing(self.estimator, self.file, batch)
            for name in names:
                found[name].append(measured(known[name]))
        styles = {name: style_of(parts) for name, parts in found.items()}
        for total, parts in self.estimator.space_.columns.sums:  # with the decimals of its parts
            finest = [styles[str(p)].decimals for p in (total, *parts) if str(p) in styles]
            places = None if None in finest else max(d for d in finest if d is not None)
            styles[str(total)] = replace(styles[str(total)], decimals=places)
        return styles

    def batches(self) -> Iterator[pa.Table]:
        """The table: as it was read for the styles where it is small, else from the file again."""
        return iter(self._small) if self.styles and self._small else self.file.batches()

    def _noted(self) -> Iterator[pa.Table]:
        """The table, which is kept while it is small."""
        size = 0
        for batch in self.file.batches():
            size += batch.nbytes
            if size <= SMALL:
                self._small.append(batch)
            yield batch
        if size > SMALL:
            self._small.clear()

    def cells(self, name: str, column: pd.Series) -> pa.Array:
        """The text of a column of answers, null for a gap."""
        gone = column.isna().to_numpy()
        if name not in self.styles:
            return pa.array(column.astype(str).to_numpy(object), pa.string(), mask=gone)
        texts, none = self._written(name, column), pa.scalar(None, pa.string())
        return pc.if_else(pa.array(gone), none, texts) if gone.any() else texts  # type: ignore[attr-defined]

    def with_totals(self, answer: pd.DataFrame) -> pd.DataFrame:
        """The answer with totals that are the sums of their parts as these will be written."""
        for total, parts in self.estimator.space_.columns.sums:
            written = [self._read_back(str(part), answer[part]) for part in parts]
            gone = answer[total].isna()
            answer = answer.assign(**{str(total): np.sum(written, axis=0)})
            answer[total] = answer[total].mask(gone)
        return answer

    def _read_back(self, name: str, column: Any) -> np.ndarray:
        if name not in self.styles:
            return column.to_numpy(float)
        return self._written(name, column).cast(pa.float64()).to_numpy(zero_copy_only=False)

    def _written(self, name: str, column: Any) -> pa.Array:
        return self.styles[name].written(column.to_numpy(float), self.estimator.links_.get(name))
