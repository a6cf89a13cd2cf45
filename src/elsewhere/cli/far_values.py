"""Values of a question that are too far out to be moved as they are: named once per file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa

from elsewhere.cli.missing import with_missing
from elsewhere.datasets.table_numbers import numbers
from elsewhere.datasets.tables import TableFile
from elsewhere.estimators import DomainCounterfactual, Link

Batch = TypeVar("Batch", pa.Table, pa.RecordBatch)


@dataclass
class Farthest:
    """The values of one column that are beyond the usual ones: how many, and the farthest."""

    count: int = 0
    row: int = 0
    value: float = 0.0


@dataclass
class Unusual:
    """What was seen of a file that counts as less than it is when it is moved.

    Attributes:
        estimator: a fitted one; only some columns, mostly none, have such bounds.
        file: the table asked about.
    """

    estimator: DomainCounterfactual
    file: TableFile
    _found: dict[str, Farthest] = field(default_factory=dict)
    _looked: set[int] = field(default_factory=set)

    def watched(self, batches: Iterable[tuple[int, Batch]]) -> Iterator[tuple[int, Batch]]:
        """The same batches, each looked at once, however often they are read."""
        bounded = {str(n): s for n, s in self.estimator.links_.items() if not s.counts_all}
        for first, batch in batches:
            if bounded and first not in self._looked:
                self._looked.add(first)
                table = with_missing(self.estimator, self.file, pa.table(batch))
                for name, link in bounded.items():
                    self._look(name, link, numbers(self.file, table, name).to_numpy(), first)
            yield first, batch

    def notes(self) -> list[str]:
        """One sentence for each column that held such values."""
        return [
            f"{self.file.name}: column {name!r} holds {one.value:g} in row {one.row}"
            + (f", and {one.count - 1} more such values" if one.count > 1 else "")
            + ", too far from all that the fit has seen to be an amount like them: when moved, it "
            f"counts as {_nearest(self.estimator.links_[name], one.value):g}. Look at such rows, "
            "or model the column as it is (fit --links)."
            for name, one in self._found.items()
        ]

    def _look(self, name: str, link: Link, column: np.ndarray, first: int) -> None:
        beyond = np.flatnonzero((column < link.too_low) | (column > link.too_high))
        if not len(beyond):
            return
        seen = self._found.setdefault(name, Farthest())
        seen.count += len(beyond)
        top = int(beyond[np.argmax(np.abs(column[beyond]))])
        if abs(column[top]) > abs(seen.value):
            seen.row, seen.value = first + top, float(column[top])


def _nearest(link: Link, value: float) -> float:
    return link.highest if value > link.too_high else link.lowest
