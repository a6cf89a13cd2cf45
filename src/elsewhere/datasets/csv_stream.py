"""CSV in, block by block: every cell is text, and no more than a few blocks are in memory."""

import codecs
import csv
import gzip
import io
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from elsewhere.datasets.table_reading import PIPE, TableError, TableFile, reading

BLOCK = 4 * 2**20  # bytes read at a time, at least
BLOCK_ROWS = 256  # rows of a wide table read at a time
LARGEST_BLOCK = 2**30  # bytes
LARGEST_LINE = 2**26  # bytes; a million columns have less
OTHERS = {  # files that are no text, by their first bytes
    b"\x1f\x8b": "compressed; let its name end in .gz",
    b"PK\x03\x04": "a workbook or a ZIP file; save its sheet as CSV",
    b"\xd0\xcf\x11\xe0": "a workbook; save its sheet as CSV",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"ARROW1": "a Feather file; let its name end in .feather",
}
Open = Callable[[], io.BufferedIOBase]


def open_tsv(path: str) -> TableFile:
    """A file like CSV whose columns tabs separate."""
    return open_csv(path, "\t")


def open_csv(path: str, delimiter: str = ",") -> TableFile:
    """A CSV file, every column of which is text; "-" is standard input, .gz is compressed."""
    opened = _opener(path)
    _check_lines(opened, path)
    with opened() as raw:
        text = io.TextIOWrapper(raw, "utf-8-sig", newline="")  # type: ignore[arg-type]
        with _telling_where(opened):
            names = next(csv.reader(text, delimiter=delimiter), [])
    _check_names(names, path, delimiter)
    schema, size = pa.schema([(name, pa.string()) for name in names]), _block_size(opened)

    def batches() -> Iterator[pa.Table]:
        if len(set(names)) < len(names):  # arrow cannot tell such columns apart; the caller refuses
            return
        with reading(path, "csv"), _telling_where(opened), opened() as raw:
            for batch in _blocks(raw, schema, delimiter, size):
                yield pa.Table.from_batches([batch]).cast(schema)

    return TableFile(path, schema, True, batches)


def _check_lines(opened: Open, path: str) -> None:
    """Raise where a file is of another kind, or has a first line without end."""
    with opened() as raw:
        line = raw.readline(LARGEST_LINE)
    for start, what in OTHERS.items():
        if line.startswith(start):
            raise TableError(f"{path} is {what}.")
    if len(line) == LARGEST_LINE:
        raise TableError(f"{path} must have lines of at most {LARGEST_LINE:,} bytes.")


def _check_names(names: Sequence[str], path: str, delimiter: str) -> None:
    if not names:
        raise TableError(f"{path} is empty; a line with the columns' names comes first.")
    if any("\0" in name for name in names):
        raise TableError(f"{path} must be UTF-8; it looks like UTF-16. Save it as UTF-8.")
    if len(names) == 1 and ";" in names[0]:
        raise TableError(
            f"{path} separates its columns by semicolons: save it with commas and decimal points, "
            "or as .tsv with tabs."
        )
    other = "," if delimiter == "\t" else "\t"
    if len(names) == 1 and other in names[0]:
        what, suffix = ("commas", "csv") if other == "," else ("tabs", "tsv")
        raise TableError(f"{path} separates its columns by {what}: let its name end in .{suffix}.")


def _block_size(opened: Open) -> int:
    """Bytes that are read at once: of BLOCK_ROWS rows as long as the first two lines, at least.

    Every block makes an array of every column: of thousands of columns, arrays of two cells each.
    """
    with opened() as raw:
        line = max(len(raw.readline(LARGEST_LINE)) for _ in range(2))
    return min(max(BLOCK, BLOCK_ROWS * line), LARGEST_BLOCK)


def _blocks(
    raw: io.BufferedIOBase, schema: pa.Schema, delimiter: str, size: int
) -> Iterator[pa.RecordBatch]:
    reader = pa_csv.open_csv(
        raw,
        read_options=pa_csv.ReadOptions(block_size=size),
        parse_options=pa_csv.ParseOptions(newlines_in_values=True, delimiter=delimiter),
        convert_options=pa_csv.ConvertOptions(column_types=schema, strings_can_be_null=False),
    )
    yield from (batch for batch in reader if batch.num_rows)


def _opener(path: str) -> Open:
    """Opens the bytes from their start, as often as asked: what is piped is kept on disk."""
    plain: Any = path
    if path == PIPE or not Path(path).is_file():
        kept = NamedTemporaryFile(prefix="elsewhere-", suffix=".csv")  # noqa: SIM115 - as long as the opener
        if path == PIPE:
            shutil.copyfileobj(sys.stdin.buffer, kept)
        else:
            with Path(path).open("rb") as piped:
                shutil.copyfileobj(piped, kept)
        kept.flush()
        plain = kept  # the file goes when nobody can open it any more
    compressed = path.lower().endswith(".gz")

    def opened() -> io.BufferedIOBase:
        name = plain if isinstance(plain, str) else plain.name
        return gzip.open(name, "rb") if compressed else Path(name).open("rb")  # type: ignore[return-value]

    return opened


@contextmanager
def _telling_where(opened: Open) -> Iterator[None]:
    """An error of decoding says at which byte of the file."""
    try:
        yield
    except (UnicodeDecodeError, pa.ArrowInvalid):
        _check_utf8(opened)
        raise


def _check_utf8(opened: Open) -> None:
    """Raise at the first byte that is not UTF-8, counted from the start of the file."""
    decoder, before = codecs.getincrementaldecoder("utf-8")(), 0
    with opened() as raw:
        while block := raw.read(BLOCK):
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                start = before - held + error.start
                raise UnicodeDecodeError("utf-8", b" ", start, start + 1, error.reason) from None
            before += len(block)
