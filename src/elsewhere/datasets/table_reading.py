"""Tables in from Parquet and Feather files, batch by batch; csv_stream.py has CSV."""

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PIPE = "-"
BATCH_ROWS = 65_536
MOST_NAMES = 20  # that an error lists
RAGGED = " Give every row as many cells as the first; put quotes around cells that hold a comma."


class TableError(ValueError):
    """A file that holds no table that can be used; the message says why."""


def no_column(file: str, missing: Sequence[str], names: Sequence[str]) -> TableError:
    """The error for columns that a table lacks: some of those it has, cut to one line."""
    has = [shortened(name) for name in names[:MOST_NAMES]]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    lacks = [shortened(name) for name in missing[:MOST_NAMES]]
    return TableError(f"{file} has no column {lacks}; it has {has}{more}.")


def shortened(text: str, most: int = 60) -> str:
    """The text, or its beginning where an error would be longer than a line."""
    return text if len(text) <= most else text[: most - 1] + "…"


@dataclass(frozen=True)
class TableFile:
    """A table in a file: its schema at once, its rows when they are asked for.

    Attributes:
        name: of the file, for messages.
        schema: names and types of the columns; in CSV every column is text.
        is_text: whether the file is CSV.
        batches: reads the rows, some 65,536 at a time.
        rows: how many there are, where the file says so without being read.
    """

    name: str
    schema: pa.Schema
    is_text: bool
    batches: Callable[[], Iterator[pa.Table]]
    rows: int | None = None

    def read(self) -> pa.Table:
        """All rows; an error where there are none."""
        table = pa.concat_tables([self.schema.empty_table(), *self.batches()])
        if not table.num_rows:
            raise TableError(f"{self.name} holds no rows, only column names.")
        return table


@contextmanager
def reading(path: str, kind: str) -> Iterator[None]:
    """Turn what a reader does not understand into one plain error; the system's own errors pass."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} must be UTF-8; byte {error.start} is not. Save it as UTF-8."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{path} is not a gzip file, or is truncated: {error}.") from None
    except (pa.ArrowException, csv.Error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the system; arrow has none for what it cannot unpack
        first = str(error).splitlines()[0].rstrip(".")
        remedy = RAGGED if re.search(r"Expected \d+ columns", first) else ""
        raise TableError(f"{path} cannot be read as {kind}: {first}.{remedy}") from None


def open_parquet(path: str) -> TableFile:
    """A Parquet file."""
    if not Path(path).stat().st_size:
        raise TableError(f"{path} is empty.")
    with pq.ParquetFile(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows

    def batches() -> Iterator[pa.Table]:  # a file that stays open keeps all that was read of it
        with reading(path, "parquet"), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                yield pa.Table.from_batches([batch])

    return TableFile(path, schema, False, batches, rows)


def open_feather(path: str) -> TableFile:
    """A Feather file, or Arrow's own format for files."""
    if not Path(path).stat().st_size:
        raise TableError(f"{path} is empty.")
    file = pa.ipc.open_file(pa.OSFile(path))  # a mapped file that is cut ends in a bus error

    def batches() -> Iterator[pa.Table]:
        with reading(path, "feather"):
            for i in range(file.num_record_batches):
                yield from _slices(pa.Table.from_batches([file.get_batch(i)]))

    return TableFile(path, file.schema, False, batches)


def _slices(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, table.num_rows, BATCH_ROWS):
        yield table.slice(start, BATCH_ROWS)
