"""The file: a line with the format, a checksum, a JSON header on one line, then plain arrays."""

import hashlib
import io
import json
import math
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.files import write_whole
from elsewhere.saving.format_1 import upgraded
from elsewhere.saving.json_header import LONGEST_HEADER, parsed
from elsewhere.saving.rules import fields, listed, one_of, text, whole

FORMAT = 2
LARGEST = 1 << 30  # bytes; models have thousands
MOST_ARRAYS, MOST_AXES = 100_000, 8
_MAGIC = b"elsewhere model, format "
_CHUNK = 1 << 20
_DTYPES = ("<f4", "<f8", "<i4", "<i8", "<u4", "|b1")
_SHAPE = listed(whole(0, LARGEST), 0, MOST_AXES)
_ARRAYS = listed(fields({"dtype": one_of(*_DTYPES), "shape": _SHAPE}), 0, MOST_ARRAYS)
_HEADER = fields({"kind": text, "arrays": _ARRAYS})
_FIRST_HEADER = fields({"arrays": _ARRAYS})  # format 1 did not name the kind of tables


Check = Callable[[dict[str, Any], list[np.ndarray]], None]


class ModelFileError(ValueError):
    """A file that is no model, or not one that can be trusted or read."""


def write_model(
    path: Path,
    header: dict[str, Any],
    arrays: Sequence[np.ndarray],
    check: Check | None = None,
) -> None:
    """Write the file whole or not at all; none that could not be read again.

    Args:
        path: where to.
        header: plain JSON.
        arrays: what follows it.
        check: raises ValueError for a header and arrays of which a reader would make nothing.
    """
    plain = [np.asarray(a, a.dtype.newbyteorder("<"), order="C") for a in arrays]
    listing = [{"dtype": a.dtype.str, "shape": list(np.shape(a))} for a in plain]
    line = json.dumps(header | {"arrays": listing}, allow_nan=False).encode()
    rest = b"\n".join([line, b"".join(a.tobytes() for a in plain)])
    start = _MAGIC + b"%d\n%s\n" % (FORMAT, hashlib.sha256(rest).hexdigest().encode())
    _check_readable(start + rest, check)
    write_whole(path, start + rest)


def _check_readable(content: bytes, check: Check | None) -> None:
    try:
        _check_size(len(content))
        found = _read(io.BytesIO(content), len(content))
        if check is not None:
            check(*found)
    except ValueError as error:
        raise ValueError(
            f"the model cannot be saved, because no file of it could be read: {error}"
        ) from None


def read_model(path: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays, once format, sizes and checksum have been found right.

    Sizes are compared with that of the file before anything is allocated.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the model's file.")
    with open(path, "rb", opener=_without_waiting) as file, reading(path):
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is a device or a pipe; give the model's file.")
        _check_size(found.st_size)
        return _read(file, found.st_size)


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """What the header and the arrays do not allow is an error of the file, and says so."""
    try:
        yield
    except ModelFileError:
        raise
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ModelFileError(f"{path} holds no model that can be read: {error!r}.") from None
    except ValueError as error:
        raise ModelFileError(f"{path}: {error}") from None


def needs_64_bit(arrays: Sequence[np.ndarray]) -> bool:
    """Whether the model was fitted in float64."""
    return any(a.dtype == np.float64 for a in arrays)


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe that nobody writes to without waiting for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise ValueError(f"it is too large for a model: {size} bytes, at most {LARGEST}.")


def _read(file: io.BufferedIOBase, size: int) -> tuple[dict[str, Any], list[np.ndarray]]:
    version, checksum = _start(file)
    begin = file.tell()
    line = file.readline(min(size, LONGEST_HEADER) + 1)
    try:
        if not line.endswith(b"\n"):
            raise ValueError(f"its line has no end, or is longer than {LONGEST_HEADER} bytes.")
        header = parsed(line)
        (_HEADER if version == 2 else _FIRST_HEADER)(header, "the header")
    except ValueError as error:
        raise ValueError(f"it holds no readable header: {error} Save the model again.") from None
    shapes = [(np.dtype(e["dtype"]), tuple(e["shape"])) for e in header.pop("arrays")]
    if sum(math.prod(s) * d.itemsize for d, s in shapes) != size - file.tell():
        raise ValueError("it does not hold the arrays its header lists: cut short or edited.")
    _check_checksum(file, begin, checksum)
    file.seek(begin + len(line))
    arrays = [_array(file, dtype, shape) for dtype, shape in shapes]
    return upgraded(header) if version == 1 else header, arrays


def _start(file: io.BufferedIOBase) -> tuple[int, bytes]:
    """(format, checksum) of the first two lines."""
    first, checksum = file.readline(64), file.readline(80)
    version = first.removeprefix(_MAGIC).removesuffix(b"\n")
    if not first.startswith(_MAGIC) or not version.isdigit() or version.startswith(b"0"):
        raise ValueError("it is not a model of elsewhere; give a file that `fit` wrote.")
    if int(version) > FORMAT:
        raise ValueError(
            f"it has format {int(version)}, which is newer than the {FORMAT} known here. "
            "Install a newer elsewhere."
        )
    return int(version), checksum.removesuffix(b"\n")


def _check_checksum(file: io.BufferedIOBase, begin: int, checksum: bytes) -> None:
    file.seek(begin)
    found = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        found.update(chunk)
    if found.hexdigest().encode() != checksum:
        raise ValueError("it is cut short or was edited: its checksum does not match.")


def _array(file: io.BufferedIOBase, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """The next array; finite, if it holds numbers that can be otherwise."""
    content = file.read(math.prod(shape) * dtype.itemsize)
    array = np.frombuffer(content, dtype).reshape(shape)
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("its arrays must be finite; one holds NaN or infinity.")
    return array
