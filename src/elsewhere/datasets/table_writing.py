"""Tables out to CSV, Parquet and Feather files, batch by batch."""

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from elsewhere.datasets.table_reading import TableError

Write = Callable[[pa.Table], None]


@contextmanager
def write_csv(part: Path, schema: pa.Schema) -> Iterator[Write]:
    """As CSV."""
    with part.open("w", newline="", encoding="utf-8") as file, csv_to(file) as write:
        yield write


@contextmanager
def write_tsv(part: Path, schema: pa.Schema) -> Iterator[Write]:
    """As CSV with tabs in place of commas."""
    with part.open("w", newline="", encoding="utf-8") as file, csv_to(file, "\t") as write:
        yield write


@contextmanager
def write_csv_gz(part: Path, schema: pa.Schema, delimiter: str = ",") -> Iterator[Write]:
    """As compressed CSV, the same bytes whenever it is written."""
    with (
        part.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as file,
        csv_to(file, delimiter) as write,
    ):
        yield write


@contextmanager
def write_tsv_gz(part: Path, schema: pa.Schema) -> Iterator[Write]:
    """As compressed CSV with tabs in place of commas."""
    with write_csv_gz(part, schema, "\t") as write:
        yield write


@contextmanager
def csv_to(file: Any, delimiter: str = ",") -> Iterator[Write]:
    """As CSV to an open file."""
    writer = csv.writer(file, lineterminator="\n", delimiter=delimiter)
    header = []

    def write(table: pa.Table) -> None:
        if not header:
            header.append(writer.writerow(table.column_names))
        if (plain := _unquoted(table, delimiter)) is not None:
            _write_bytes(file, plain)
            return
        columns = [column.to_pylist() for column in table.columns]
        writer.writerows(zip(*columns, strict=True))

    yield write
    file.flush()


def _write_bytes(file: Any, text: pa.Buffer) -> None:
    """The text after what was written before; without decoding it, where there are bytes below."""
    named = (getattr(file, "encoding", None) or "").lower()
    if named not in ("utf-8", "utf8") or not hasattr(file, "buffer"):
        file.write(text.to_pybytes().decode())
        return
    file.flush()
    file.buffer.write(text)


def _unquoted(table: pa.Table, delimiter: str) -> pa.Buffer | None:
    """Text whose cells need no quotes, written by Arrow; None where other cells are among them."""
    if table.num_columns < 2 or any(kind != pa.string() for kind in table.schema.types):
        return None
    options = pa_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style="none")
    sink = pa.BufferOutputStream()
    try:
        pa_csv.write_csv(table, sink, options)
    except pa.ArrowInvalid:
        return None
    return sink.getvalue()


@contextmanager
def write_parquet(part: Path, schema: pa.Schema) -> Iterator[Write]:
    """As Parquet; fractions without a dictionary, which nearly all of them would be in."""
    coded: Any = [f.name for f in schema if not pa.types.is_floating(f.type)]
    with pq.ParquetWriter(part, schema, use_dictionary=coded or False) as writer:
        yield lambda table: writer.write_table(_as(table, schema))


@contextmanager
def write_feather(part: Path, schema: pa.Schema) -> Iterator[Write]:
    """As Feather."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(str(part), schema, options=options) as writer:
        yield lambda table: writer.write_table(_as(table, schema))


def _as(table: pa.Table, schema: pa.Schema) -> pa.Table:
    try:
        return table.cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TableError(f"the answers do not fit the columns' types: {error}.") from None
