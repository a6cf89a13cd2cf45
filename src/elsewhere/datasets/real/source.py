"""Where a real table comes from, and the checksum that says it is the right one."""

import gzip
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.datasets.pictures.download import data_folder, read_url
from elsewhere.files import write_whole


class RealDataError(ValueError):
    """A real data set that is missing, or not the one it should be; the message names the file."""


@dataclass(frozen=True)
class Source:
    """One data set: its file, where that was published, and the checksum of its table.

    Args:
        name: the data set's folder.
        file: the prepared file in that folder.
        sha256: checksum of the table, by `table_sha256`.
        tidy: from the prepared file to the table, indexed by (sample, domain).
        urls: the published files, where they are plain tables; otherwise none.
        convert: from the published files to the table, for those that have `urls`.
        origin: who measured it, in words.
        read: from a file's name and bytes to a frame; CSV unless told.
        shipped: a package that holds the file, and the file's path in it.
    """

    name: str
    file: str
    sha256: str
    tidy: Callable[[pd.DataFrame], pd.DataFrame]
    origin: str
    urls: tuple[str, ...] = ()
    convert: Callable[[Sequence[pd.DataFrame]], pd.DataFrame] | None = None
    read: Callable[[str, bytes], pd.DataFrame] = field(default=lambda *file: read_csv(*file))
    shipped: tuple[str, str] | None = None

    def table(self, directory: str | os.PathLike[str] | None = None) -> pd.DataFrame:
        """The measurements, indexed by (sample, domain), from a directory or downloaded.

        The file is looked for in `directory`, else in $ELSEWHERE_DATA, else in a cache folder,
        there in the folder `name` or by itself. What is missing is downloaded, where it was
        published as a plain table, and kept if its checksum is right. A package that is installed
        and ships the file will do as well.
        """
        folder = _existing(directory) / self.name if directory else data_folder(self.name)
        for path in (folder / self.file, folder.parent / self.file, *self._in_package()):
            if path.is_file():
                return self._checked(self.tidy(self.read(str(path), path.read_bytes())), str(path))
        paths = [folder / url.rsplit("/", 1)[1] for url in self.urls]
        if paths and all(path.is_file() for path in paths):
            return self._converted([(str(path), path.read_bytes()) for path in paths])
        return self._download(folder, paths)

    def _in_package(self) -> list[Path]:
        if self.shipped is None or (spec := find_spec(self.shipped[0])) is None:
            return []
        return [Path(root) / self.shipped[1] for root in spec.submodule_search_locations or ()]

    def _download(self, folder: Path, paths: list[Path]) -> pd.DataFrame:
        where = f"Put {self.file} into {folder}, or name its directory by --data-dir, `directory`"
        where += " or the variable ELSEWHERE_DATA"
        where += f", or install {self.shipped[0]}, which ships it." if self.shipped else "."
        if not self.urls:
            raise RealDataError(
                f"{folder / self.file} does not exist, and cannot be downloaded: it was not "
                f"published as a plain table ({self.origin}). {where}"
            )
        try:
            contents = [(url, read_url(url)) for url in self.urls]
        except OSError as error:
            raise RealDataError(
                f"{self.name} could not be downloaded from {self.urls[0]}: {error}. {where}"
            ) from None
        table = self._converted(contents)
        for path, (_, content) in zip(paths, contents, strict=True):
            write_whole(path, content)
        return table

    def _converted(self, contents: list[tuple[str, bytes]]) -> pd.DataFrame:
        if self.convert is None:
            raise RealDataError(f"{self.name} has no published tables to convert.")
        table = self.convert([read_csv(name, content) for name, content in contents])
        return self._checked(table, contents[0][0])

    def _checked(self, table: pd.DataFrame, where: str) -> pd.DataFrame:
        found = table_sha256(table)
        if found != self.sha256:
            raise RealDataError(
                f"{where} does not hold the table it should: its SHA-256 is {found[:12]}…, not "
                f"{self.sha256[:12]}…. Fetch the file again."
            )
        return table


def keyed(
    name: str, frame: pd.DataFrame, sample: str, domain: str, columns: Sequence[str]
) -> pd.DataFrame:
    """These columns of a frame as numbers, indexed by (sample, domain) and sorted."""
    missing = [c for c in (sample, domain, *columns) if c not in frame.columns]
    if missing or not columns:
        raise RealDataError(
            f"{name} must have the columns {sample}, {domain} and its measurements; "
            f"missing: {', '.join(missing) or 'every measurement'}."
        )
    index = pd.MultiIndex.from_arrays(
        [frame[sample], frame[domain].astype(str)], names=["sample", "domain"]
    )
    values = frame[list(columns)].apply(pd.to_numeric, errors="coerce").to_numpy(float)
    if not np.isfinite(values).all() or not index.is_unique:
        raise RealDataError(
            f"{name} must have one finite measurement per sample, domain and column; "
            "it has missing or repeated ones."
        )
    return pd.DataFrame(values, index=index, columns=list(columns)).sort_index()


def table_sha256(table: pd.DataFrame) -> str:
    """SHA-256 of a table's keys, column names and numbers, whatever file they were read from."""
    keys = "\n".join(f"{sample},{domain}" for sample, domain in table.index)
    text = f"{keys}\n{','.join(table.columns)}\n".encode()
    return hashlib.sha256(text + table.to_numpy("<f8").tobytes()).hexdigest()


def _existing(directory: str | os.PathLike[str]) -> Path:
    path = Path(directory).expanduser()
    if not path.is_dir():
        raise RealDataError(f"{path} is not a directory. Name one that holds the data.")
    return path


def read_csv(name: str, content: bytes) -> pd.DataFrame:
    """A CSV file, plain or compressed by gzip, with every digit of its numbers."""
    try:
        plain = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
        return pd.read_csv(BytesIO(plain), float_precision="round_trip")
    except (OSError, EOFError, ValueError) as error:
        raise RealDataError(f"{name} is not a CSV file: {error}.") from None
