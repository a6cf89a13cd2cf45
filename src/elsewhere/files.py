"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A neighbour to write to, which takes the place of `path` at the end; on an error it goes.

    Whatever was at `path` stays until then, so that a reader never sees half a file. A device or a
    pipe cannot be replaced: it is written to as it is.
    """
    path = path.resolve()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the name of a file.")
    if path.exists() and not path.is_file():
        yield path
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        _to_disk(part)
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> Path:
    """The content at `path`, whole or not at all."""
    with whole_file(path) as part:
        part.write_bytes(content)
    return path


def _to_disk(path: Path) -> None:
    """What a full disk refuses late is refused here, before the file takes its place."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
