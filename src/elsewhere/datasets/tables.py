"""Tables in files, in the format of the suffix; "-" is CSV through a pipe."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from elsewhere.datasets.csv_stream import open_csv, open_tsv
from elsewhere.datasets.table_reading import (
    PIPE,
    TableError,
    TableFile,
    open_feather,
    open_parquet,
    reading,
)
from elsewhere.datasets.table_writing import (
    Write,
    csv_to,
    write_csv,
    write_csv_gz,
    write_feather,
    write_parquet,
    write_tsv,
    write_tsv_gz,
)
from elsewhere.files import whole_file
from elsewhere.streams import out_for_programs

__all__ = [
    "FORMATS",
    "PIPE",
    "TableError",
    "TableFile",
    "is_text",
    "open_table",
    "writing_table",
]


@dataclass(frozen=True)
class TableFormat:
    """How files of one format end, how they are opened, and how they are written.

    Args:
        suffixes: in small letters, with their dot.
        open: from a path to the table in it.
        write: from a path and a schema to a function that takes one batch after the other.
        is_text: whether every cell is text.
    """

    suffixes: tuple[str, ...]
    open: Callable[[str], TableFile]
    write: Callable[[Path, pa.Schema], AbstractContextManager[Write]]
    is_text: bool = False


FORMATS: dict[str, TableFormat] = {
    "csv": TableFormat((".csv",), open_csv, write_csv, is_text=True),
    "tsv": TableFormat((".tsv",), open_tsv, write_tsv, is_text=True),
    "csv.gz": TableFormat((".csv.gz",), open_csv, write_csv_gz, is_text=True),
    "tsv.gz": TableFormat((".tsv.gz",), open_tsv, write_tsv_gz, is_text=True),
    "parquet": TableFormat((".parquet", ".pq"), open_parquet, write_parquet),
    "feather": TableFormat((".feather", ".arrow"), open_feather, write_feather),
}


def format_of(path: str) -> str:
    """The name of a format, by the suffix; a pipe carries CSV."""
    suffixes = {suffix: name for name, form in FORMATS.items() for suffix in form.suffixes}
    name = ".csv" if path == PIPE else Path(path).name.lower()
    found = [suffixes[suffix] for suffix in suffixes if name.endswith(suffix)]
    if not found:
        raise TableError(
            f"{path} must end in one of {', '.join(suffixes)}, or be - for CSV through a pipe."
        )
    return found[0]


def is_text(path: str) -> bool:
    """Whether the table at `path` is, or will be, text."""
    return FORMATS[format_of(path)].is_text


def open_table(path: str) -> TableFile:
    """The table at `path`; "-" reads CSV from standard input.

    A file that another process changes before its last row is read is an error, not fewer rows.
    """
    kind = format_of(path)
    if path != PIPE and Path(path).is_dir():
        raise IsADirectoryError(f"{path} is a directory; give a file.")
    state = _state(path)
    with reading(path, kind):
        opened = FORMATS[kind].open(path)
        counts = Counter(opened.schema.names)
    if twice := sorted(name for name, count in counts.items() if count > 1):
        raise TableError(f"{path} has duplicate column names: {twice}. Rename one.")
    return replace(opened, batches=lambda: _unchanged(_checked(opened, path, kind), path, state))


def _state(path: str) -> tuple[int, ...]:
    """What tells a regular file from what it was before; nothing of a pipe."""
    if path == PIPE or not Path(path).is_file():
        return ()
    found = Path(path).stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _checked(file: TableFile, path: str, kind: str) -> Iterator[pa.Table]:
    """Text that is UTF-8, and offsets that do not lead out of memory; arrow's CSV has both."""
    for batch in file.batches():
        if not file.is_text:
            with reading(path, kind):
                batch.validate(full=True)
        yield batch


def _unchanged(
    batches: Iterator[pa.Table], path: str, state: tuple[int, ...]
) -> Iterator[pa.Table]:
    yield from batches
    if _state(path) != state:
        raise TableError(f"{path} changed while it was read. Start again when nobody writes to it.")


@contextmanager
def writing_table(path: str, schema: pa.Schema) -> Iterator[Write]:
    """A function that takes one batch after the other; "-" is CSV on standard output.

    A file appears whole or not at all.
    """
    kind = format_of(path)
    if path == PIPE:
        with csv_to(out_for_programs()) as write:
            yield write
        return
    with whole_file(Path(path)) as part, FORMATS[kind].write(part, schema) as write:
        yield write
