"""The IDX format of MNIST and its kin: a magic number, the sizes, then the bytes."""

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

_UNSIGNED_BYTE = 8


class IdxError(ValueError):
    """A file that is not the IDX file it should be."""


def read_idx(path: str | Path) -> UInt8[np.ndarray, "..."]:
    """The array in an IDX file of unsigned bytes, gzipped or plain."""
    content = _content(Path(path))
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != _UNSIGNED_BYTE:
        raise IdxError(f"{path} must be an IDX file of unsigned bytes; got {content[:4]!r}…")
    start = 4 + 4 * content[3]
    sizes = content[4:start].ljust(start - 4, b"\0")
    shape = tuple(np.frombuffer(sizes, ">u4").tolist())
    if len(content) - start != math.prod(shape):
        raise IdxError(
            f"{path} must hold {math.prod(shape)} bytes after its header, for the shape {shape}; "
            f"got {max(0, len(content) - start)}. Fetch the file again."
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def find_idx(folder: Path, name: str) -> Path | None:
    """`name`.gz or `name` in the folder, whichever is there."""
    return next((p for p in (folder / f"{name}.gz", folder / name) if p.is_file()), None)


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise IdxError(f"{path} must be a whole gzip file; got {error}. Fetch it again.") from None
