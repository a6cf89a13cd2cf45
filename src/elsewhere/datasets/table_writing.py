"""Tables out to CSV, Parquet and Feather files, batch by batch; a file appears whole or not."""

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from elsewhere.datasets.tables import PIPE, TableError, format_of
from elsewhere.files import whole_file

Write = Callable[[pa.Table], None]


@contextmanager
def writing_table(path: str, schema: pa.Schema) -> Iterator[Write]:
    """A function that takes one batch after the other; "-" is CSV on standard output."""
    kind = format_of(path)
    if path == PIPE:
        with _csv_to(sys.stdout) as write:
            yield write
        return
    with whole_file(Path(path)) as part, _FORMATS[kind](part, schema) as write:
        yield write


@contextmanager
def _csv(part: Path, schema: pa.Schema) -> Iterator[Write]:
    with part.open("w", newline="", encoding="utf-8") as file, _csv_to(file) as write:
        yield write


@contextmanager
def _csv_to(file: Any) -> Iterator[Write]:
    writer = csv.writer(file, lineterminator="\n")
    header = []

    def write(table: pa.Table) -> None:
        if not header:
            header.append(writer.writerow(table.column_names))
        columns = [column.to_pylist() for column in table.columns]
        writer.writerows(zip(*columns, strict=True))

    yield write
    file.flush()


@contextmanager
def _parquet(part: Path, schema: pa.Schema) -> Iterator[Write]:
    with pq.ParquetWriter(part, schema) as writer:
        yield lambda table: writer.write_table(_as(table, schema))


@contextmanager
def _feather(part: Path, schema: pa.Schema) -> Iterator[Write]:
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(str(part), schema, options=options) as writer:
        yield lambda table: writer.write_table(_as(table, schema))


def _as(table: pa.Table, schema: pa.Schema) -> pa.Table:
    try:
        return table.cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TableError(f"the answers do not fit the columns' types: {error}.") from None


_FORMATS = {"csv": _csv, "parquet": _parquet, "feather": _feather}
