"""Answers on their way to a file, and a bar that says how many rows per second."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from elsewhere.cli.output import progress_bar
from elsewhere.datasets.ahead import ahead

if TYPE_CHECKING:
    from elsewhere.cli.crossed import Target
    from elsewhere.cli.table_question import TableQuestion


class Pace:
    """Rows written so far, of how many files.

    Attributes:
        rows: written so far.
    """

    def __init__(self, progress: Callable[[float, str], None], files: int = 1):
        self._progress, self._files = progress, files
        self._done, self._start = 0, time.perf_counter()
        self.rows = 0

    def write(
        self, asked: "TableQuestion", targets: "Sequence[Target]", write: Callable[[pa.Table], None]
    ) -> int:
        """Write the answers about one file, one target after the other; how many rows."""
        total, written = (asked.file.rows or 0) * len(targets), 0
        for target in targets:
            for answer in ahead(asked.answers(target)):
                write(answer)
                written += answer.num_rows
                self.rows += answer.num_rows
                self._show(written / total if total else 0.0)
        self._done += 1
        return written

    def _show(self, of_file: float) -> None:
        rate = self.rows / max(time.perf_counter() - self._start, 1e-9)
        done = (self._done + of_file) / self._files
        self._progress(min(done, 1.0), f"{self.rows:,} rows, {rate:,.0f} per second")


@contextmanager
def moving_bar(files: int = 1) -> Iterator[Pace]:
    """A progress bar for the answers about this many files."""
    with progress_bar("moving") as progress:
        yield Pace(progress, files)
