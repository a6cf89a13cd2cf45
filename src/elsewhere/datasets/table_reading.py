"""Tables in from CSV, Parquet and Feather files, batch by batch."""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

PIPE = "-"
BATCH_ROWS = 65_536


class TableError(ValueError):
    """A file that holds no table that can be used; the message says why."""


@dataclass(frozen=True)
class TableFile:
    """A table in a file: its schema at once, its rows when they are asked for.

    Attributes:
        name: of the file, for messages.
        schema: names and types of the columns; in CSV every column is text.
        is_text: whether the file is CSV.
        batches: reads the rows, some 65,536 at a time.
    """

    name: str
    schema: pa.Schema
    is_text: bool
    batches: Callable[[], Iterator[pa.Table]]

    def read(self) -> pa.Table:
        """All rows; an error where there are none."""
        table = pa.concat_tables([self.schema.empty_table(), *self.batches()])
        if not table.num_rows:
            raise TableError(f"{self.name} holds no rows, only column names.")
        return table


@contextmanager
def reading(path: str, kind: str) -> Iterator[None]:
    """Turn what a reader does not understand into one plain error; OSError passes."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} must be UTF-8; byte {error.start} is not. Save it as UTF-8."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TableError(f"{path} is not a gzip file, or is truncated: {error}.") from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, csv.Error) as error:
        first = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{path} cannot be read as {kind}: {first}.") from None


def open_tsv(path: str) -> TableFile:
    """A file like CSV whose columns tabs separate."""
    return open_csv(path, "\t")


def open_csv(path: str, delimiter: str = ",") -> TableFile:
    """A CSV file, every column of which is text; "-" is standard input, .gz is compressed."""
    content = sys.stdin.buffer.read() if path == PIPE else Path(path).read_bytes()
    content = gzip.decompress(content) if path.lower().endswith(".gz") else content
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    names = next(csv.reader(text, delimiter=delimiter), [])
    if not names:
        raise TableError(f"{path} is empty; a line with the columns' names comes first.")
    if len(names) == 1 and ";" in names[0]:
        raise TableError(
            f"{path} separates its columns by semicolons: save it with commas and decimal points, "
            "or as .tsv with tabs."
        )
    schema = pa.schema([(name, pa.string()) for name in names])
    options = pa_csv.ConvertOptions(column_types=schema, strings_can_be_null=False)
    parsing = pa_csv.ParseOptions(newlines_in_values=True, delimiter=delimiter)

    def batches() -> Iterator[pa.Table]:
        if len(set(names)) < len(names):  # arrow cannot tell such columns apart; the caller refuses
            return
        with reading(path, "csv"):
            source = pa.BufferReader(content)
            table = pa_csv.read_csv(source, convert_options=options, parse_options=parsing)
        yield from _slices(table.cast(schema))

    return TableFile(path, schema, True, batches)


def open_parquet(path: str) -> TableFile:
    """A Parquet file."""
    if not Path(path).stat().st_size:
        raise TableError(f"{path} is empty.")
    file = pq.ParquetFile(path)

    def batches() -> Iterator[pa.Table]:
        with reading(path, "parquet"):
            for batch in file.iter_batches(BATCH_ROWS):
                yield pa.Table.from_batches([batch])

    return TableFile(path, file.schema_arrow, False, batches)


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
