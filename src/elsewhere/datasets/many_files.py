"""Tables in many files: a directory, a glob, or folders whose names hold columns, as year=2020."""

import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from elsewhere.datasets.table_reading import TableError, TableFile
from elsewhere.datasets.tables import FORMATS, open_table

_KEY = re.compile(r"([^=/]+)=(.*)")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"0|-?[1-9]\d*")


@dataclass(frozen=True)
class Part:
    """One file of several.

    Attributes:
        path: where it is.
        relative: the same from the folder of all, which its answer keeps.
        keys: the columns that the names of its folders hold, with their types.
    """

    path: Path
    relative: Path
    keys: dict[str, pa.Scalar]

    def open(self) -> TableFile:
        """The table, the columns of its folders' names at the end."""
        file = open_table(str(self.path))
        if both := [name for name in self.keys if name in file.schema.names]:
            raise TableError(f"{self.path} has the columns {both}, which its folders name, too.")
        schema = file.schema
        for name, value in self.keys.items():
            schema = schema.append(pa.field(name, pa.string() if file.is_text else value.type))

        def batches() -> Iterator[pa.Table]:
            for table in file.batches():
                yield _with_keys(table, self.keys, schema)

        return replace(file, schema=schema, batches=batches)


def is_many(path: str) -> bool:
    """Whether the path names tables in several files: a directory with some, or a pattern."""
    if Path(path).is_dir():
        return next(_tables(Path(path)), None) is not None
    return glob.has_magic(path) and not Path(path).exists()


def parts_of(path: str) -> list[Part]:
    """The files in the order of their names; hidden ones, and those that start with _, are none."""
    above = _fixed(path)
    found = sorted(_tables(Path(path)) if Path(path).is_dir() else map(Path, _matches(path)))
    if not found:
        raise TableError(f"{path} has no table: no file that ends in one of {_suffixes()}.")
    relative = [file.relative_to(above) for file in found]
    keys = [_keys(one) for one in relative]
    if len({tuple(one) for one in keys}) > 1:
        raise TableError(f"the folders of {path} must all name the same columns; they do not.")
    types = {name: _type([one[name] for one in keys]) for name in keys[0]}
    return [
        Part(
            file,
            one,
            {name: pa.scalar(_as(text, types[name]), types[name]) for name, text in k.items()},
        )
        for file, one, k in zip(found, relative, keys, strict=True)
    ]


def open_many(path: str) -> TableFile:
    """All files as one table; their columns must be the same."""
    parts = parts_of(path)
    files = [part.open() for part in parts]
    schema = files[0].schema
    for part, file in zip(parts, files, strict=True):
        if file.schema.names != schema.names or file.is_text != files[0].is_text:
            raise TableError(
                f"all tables of {path} must have the same columns; {part.relative} has "
                f"{file.schema.names}, {parts[0].relative} has {schema.names}."
            )

    def batches() -> Iterator[pa.Table]:
        for file in files:
            for table in file.batches():
                yield table.cast(schema)

    return TableFile(path, schema, files[0].is_text, batches)


def is_table(path: Path) -> bool:
    """Whether the name is that of a table, and of none that tools hide."""
    return path.name[0] not in "._" and path.name.lower().endswith(_suffixes())


def _tables(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if is_table(file) and file.is_file())


def _suffixes() -> tuple[str, ...]:
    return tuple(suffix for form in FORMATS.values() for suffix in form.suffixes)


def _matches(pattern: str) -> list[str]:
    return [
        m for m in glob.glob(pattern, recursive=True) if Path(m).is_file() and is_table(Path(m))
    ]


def _fixed(path: str) -> Path:
    """The folder of all: the directory itself, or what of a pattern comes before its first star."""
    if Path(path).is_dir():
        return Path(path)
    parts = Path(path).parts
    stop = next((i for i, part in enumerate(parts) if glob.has_magic(part)), len(parts) - 1)
    return Path(*parts[:stop])


def _keys(relative: Path) -> dict[str, str | None]:
    found = [_KEY.fullmatch(part) for part in relative.parent.parts]
    pairs = [(unquote(m[1]), unquote(m[2])) for m in found if m]
    return {name: None if text == _NOTHING else text for name, text in pairs}


def _type(texts: Sequence[str | None]) -> pa.DataType:
    """Whole numbers where all read so, else text."""
    whole = all(text is None or _WHOLE.fullmatch(text) for text in texts)
    return pa.int64() if whole else pa.string()


def _as(text: str | None, kind: pa.DataType) -> int | str | None:
    return int(text) if text is not None and pa.types.is_integer(kind) else text


def _with_keys(table: pa.Table, keys: dict[str, pa.Scalar], schema: pa.Schema) -> pa.Table:
    for name, value in keys.items():
        column = pa.repeat(value, table.num_rows).cast(schema.field(name).type)
        table = table.append_column(schema.field(name), column)
    return table
