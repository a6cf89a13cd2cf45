"""What is computed once and kept: a row per experiment, cell, method, seed and options.

One rule for every family of experiments: a row is used again only if it was made by this version of
the package and by the same code. Any other is computed anew, and that is said.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elsewhere import __version__
from elsewhere.experiments.fingerprint import code_fingerprint
from elsewhere.files import write_whole
from elsewhere.terminal import console

Row = dict[str, Any]
_TOGETHER = "together-{}.json"


@dataclass(frozen=True)
class RowKey:
    """What a row depends on, beside the code.

    Args:
        cell: of an experiment; a folder's name.
        method: what was run there; a part of a file's name.
        seed: of the run.
        options: all else that the row depends on, each with a telling `repr`.
    """

    cell: str
    method: str
    seed: int
    options: tuple[Any, ...] = ()

    @property
    def place(self) -> Path:
        """The file of the row within the folder of rows."""
        return Path(self.cell) / f"{self.method}-s{self.seed}-{digest(*self.options)}.json"


@dataclass(frozen=True)
class KeptRows:
    """A folder of rows that were made by one module and all it imports.

    Args:
        folder: where they are.
        module: the dotted name of the module that computes them.
    """

    folder: Path
    module: str

    @property
    def made_by(self) -> dict[str, str]:
        """The version and the fingerprint of the code as it is now."""
        return {"version": __version__, "code": code_fingerprint(self.module)}

    def path(self, key: RowKey) -> Path:
        """Where a row is, or would be."""
        return self.folder / key.place

    def get(self, key: RowKey) -> Row | None:
        """The row, or None where there is none that this code has made."""
        kept = _kept(self.path(key))
        return kept["row"] if kept and kept["made_by"] == self.made_by else None

    def put(self, key: RowKey, row: Row) -> Row:
        """Keep a row: whole, or not at all."""
        write_whole(self.path(key), json.dumps(self._content(key, row)).encode())
        return row

    def put_together(self, rows: Mapping[RowKey, Row]) -> None:
        """Keep rows that may depend on each other: all of them, or none.

        One file holds them all until each has its own; `finish` goes on where that was interrupted.
        """
        contents = {key.place.as_posix(): self._content(key, row) for key, row in rows.items()}
        name = _TOGETHER.format(digest(*contents))
        self._spread(write_whole(self.folder / name, json.dumps(contents).encode()))

    def finish(self) -> None:
        """Give rows that were kept together, by a run that was killed then, a file each."""
        for together in self.folder.glob(_TOGETHER.format("*")):
            with suppress(FileNotFoundError):  # a worker of that run was faster
                self._spread(together)

    def stale(self, keys: Iterable[RowKey]) -> list[RowKey]:
        """The rows that are there, but were made by other code."""
        return [key for key in keys if self.path(key).exists() and self.get(key) is None]

    def say_stale(self, keys: Iterable[RowKey]) -> None:
        """A line on stderr where rows will be computed again for that reason."""
        if stale := self.stale(keys):
            console(stderr=True).print(
                f"{len(stale)} kept row(s) were made by other code than this "
                f"(elsewhere {__version__}, {self.made_by['code']}) and are computed again.",
                soft_wrap=True,
            )

    def _content(self, key: RowKey, row: Row) -> Row:
        about = {"made_by": self.made_by, "seed": key.seed, "options": repr(key.options)}
        return about | {"row": row}

    def _spread(self, together: Path) -> None:
        for place, content in json.loads(together.read_text()).items():
            write_whole(self.folder / place, json.dumps(content).encode())
        together.unlink(missing_ok=True)


def digest(*parts: Any) -> str:
    """Eight hexadecimal digits of what the parts say."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def _kept(path: Path) -> dict[str, Any] | None:
    """What a file of a row holds; None where it is missing or of another form."""
    if not path.exists():
        return None
    content = json.loads(path.read_text())
    return content if {"made_by", "row"} <= content.keys() else None
