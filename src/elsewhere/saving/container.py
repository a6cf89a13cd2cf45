"""The file: a line with the format, a checksum, a JSON header on one line, then plain arrays."""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.files import write_whole
from elsewhere.saving.format_1 import upgraded

FORMAT = 2
LARGEST = 1 << 30  # bytes; models have thousands
_MAGIC = b"elsewhere model, format "
_DTYPES = ("<f4", "<f8", "<i4", "<i8", "<u4", "|b1")


class ModelFileError(ValueError):
    """A file that is no model, or not one that can be trusted or read."""


def write_model(path: Path, header: dict[str, Any], arrays: Sequence[np.ndarray]) -> None:
    """Write the file whole or not at all."""
    plain = [np.ascontiguousarray(a, a.dtype.newbyteorder("<")) for a in arrays]
    listed = [{"dtype": a.dtype.str, "shape": list(np.shape(a))} for a in plain]
    line = json.dumps(header | {"arrays": listed}, allow_nan=False).encode()
    rest = b"\n".join([line, b"".join(a.tobytes() for a in plain)])
    start = _MAGIC + b"%d\n%s\n" % (FORMAT, hashlib.sha256(rest).hexdigest().encode())
    write_whole(path, start + rest)


def read_model(path: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays, once format, checksum and sizes have been found right."""
    version, rest = _verified(path, _content(path))
    line, _, data = rest.partition(b"\n")
    try:
        header = json.loads(line)
        shapes = [(entry["dtype"], tuple(entry["shape"])) for entry in header.pop("arrays")]
        header = upgraded(header) if version == 1 else header
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFileError(f"{path} holds no readable header. Save the model again.") from None
    return header, _arrays(path, shapes, data)


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """What the header and the arrays do not allow is an error of the file, and says so."""
    try:
        yield
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{path} holds no model that can be read: {error!r}.") from None
    except ValueError as error:
        raise ModelFileError(f"{path}: {error}") from None


def needs_64_bit(arrays: Sequence[np.ndarray]) -> bool:
    """Whether the model was fitted in float64."""
    return any(a.dtype == np.float64 for a in arrays)


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the model's file.")
    size = path.stat().st_size
    if size > LARGEST:
        raise ModelFileError(f"{path} is too large for a model: {size} bytes, at most {LARGEST}.")
    return path.read_bytes()


def _verified(path: Path, content: bytes) -> tuple[int, bytes]:
    """(format, all that the checksum covers)."""
    first, _, after = content.partition(b"\n")
    version = first.removeprefix(_MAGIC)
    if not first.startswith(_MAGIC) or not version.isdigit() or len(version) > 9:
        raise ModelFileError(f"{path} is not a model of elsewhere; give a file that `fit` wrote.")
    if int(version) > FORMAT:
        raise ModelFileError(
            f"{path} has format {int(version)}, which is newer than the {FORMAT} known here. "
            "Install a newer elsewhere."
        )
    checksum, _, rest = after.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != checksum:
        raise ModelFileError(
            f"{path} is cut short or was edited: its checksum does not match. Save it again."
        )
    return int(version), rest


def _arrays(path: Path, shapes: list[tuple[Any, Any]], data: bytes) -> list[np.ndarray]:
    fine = all(
        dtype in _DTYPES and all(isinstance(n, int) and n >= 0 for n in shape)
        for dtype, shape in shapes
    )
    sizes = [math.prod(s) * np.dtype(d).itemsize for d, s in shapes] if fine else []
    if not fine or sum(sizes) != len(data):
        raise ModelFileError(f"{path} does not hold the arrays its header lists. Save it again.")
    arrays, start = [], 0
    for (dtype, shape), size in zip(shapes, sizes, strict=True):
        flat = np.frombuffer(data, dtype, math.prod(shape), start)
        arrays.append(flat.reshape(shape))
        start += size
    return arrays
