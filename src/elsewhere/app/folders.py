"""A folder of images from a stranger, as a ZIP file or as files chosen one by one: kept, bounded.

Only images are kept, at places that were checked part by part. How many files and how many bytes
come out is bounded whatever the archive claims, and no file in it decides where it is written.
"""

import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol, runtime_checkable

from elsewhere.datasets.pictures.files import SUFFIXES, ImageFileError, read_image
from elsewhere.datasets.pictures.folders import files_by_domain

MOST_FILES, MOST_BYTES = 20_000, 2 << 30  # of a ZIP file, unpacked
MOST_CHOSEN = 5_000  # files chosen one by one
MOST_LISTED = 16 << 20  # bytes of a ZIP file's list of files
LONGEST = 120  # bytes of a folder's or a file's name
BLOCK = 1 << 20
_END, _END_64, _FOOT = b"PK\5\6", b"PK\6\7", struct.Struct("<4s4H2LH")
# what zipfile raises: damage, a compression it does not know, a password, an end too soon
BROKEN = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, LZMAError)
DATA = "images"  # the folder that commands read


@runtime_checkable
class Readable(Protocol):
    """Bytes that come block by block."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


class UploadedFile(NamedTuple):
    """One file that came: the path that its sender gave, and its bytes."""

    path: str
    file: Readable


class Shapes(NamedTuple):
    """What the images are: how many per domain, and how many have each height and width."""

    domains: dict[str, int]
    pixels: dict[tuple[int, int], int]


def unpack(archive: Path, out: Path) -> None:
    """Write the images of a ZIP file to `out`/domain/…."""
    _check_listing(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if _wanted(entry.filename)]
            _check_entries(entries)
            places = _places([entry.filename for entry in entries])
            left = MOST_BYTES
            for entry, place in zip(entries, places, strict=True):
                with opened.open(entry) as file:
                    left -= _copy(file, out / place, left)
    except BROKEN as error:
        raise ImageFileError(f"The ZIP file cannot be read: {error}.") from None


def keep_chosen(given: Sequence[UploadedFile], out: Path) -> None:
    """Write the images among the files of a folder to `out`/domain/…."""
    wanted = [one for one in given if _wanted(one.path)]
    left = MOST_BYTES
    for one, place in zip(wanted, _places([one.path for one in wanted]), strict=True):
        left -= _copy(one.file, out / place, left)


def described(folder: Path) -> Shapes:
    """Domains and sizes; every image is read, so that a broken one is named here and now."""
    files = files_by_domain(folder)
    if len(files) < 2:
        raise ImageFileError(
            f"There must be one sub-folder per domain, at least two; got {len(files)}."
        )
    pixels: Counter[tuple[int, int]] = Counter()
    for path in (path for paths in files.values() for path in paths):
        height, width, _ = read_image(path).shape
        pixels[height, width] += 1
    return Shapes({name: len(paths) for name, paths in files.items()}, dict(pixels))


def _check_listing(archive: Path) -> None:
    """Refuse a list of files that would fill the memory before it can be counted."""
    with archive.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _FOOT.size - 0xFFFF - 20))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _FOOT.size:
        raise ImageFileError("The file is not a whole ZIP file.")
    if tail[max(0, at - 20) : at].startswith(_END_64):
        raise ImageFileError(f"The ZIP file must hold at most {MOST_FILES:,} files in 4 GB.")
    if _FOOT.unpack_from(tail, at)[5] > MOST_LISTED:
        raise ImageFileError(f"The ZIP file must hold at most {MOST_FILES:,} files.")


def _check_entries(entries: Sequence[zipfile.ZipInfo]) -> None:
    if len(entries) > MOST_FILES:
        raise ImageFileError(f"There must be at most {MOST_FILES:,} images; got {len(entries):,}.")
    total = sum(entry.file_size for entry in entries)
    if total > MOST_BYTES:
        raise ImageFileError(_too_large())
    for entry in entries:
        if entry.flag_bits & 1:
            raise ImageFileError("The ZIP file has a password. Pack it again without one.")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise ImageFileError(f"{entry.filename} is a link; pack the images themselves.")


def _too_large() -> str:
    return f"The images must have at most {MOST_BYTES >> 30} GB in all. Leave some out."


def _wanted(path: str) -> bool:
    """Whether a path names an image that is not hidden, as those that systems add are."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    hidden = any(p.startswith(".") and p != ".." for p in parts) or "__MACOSX" in parts
    return bool(parts) and not hidden and Path(parts[-1]).suffix.lower() in SUFFIXES


def _places(paths: Sequence[str]) -> list[PurePosixPath]:
    """domain/file or domain/class/file of each, without the folders that all of them share."""
    parts = [_checked(path) for path in paths]
    if not parts:
        raise ImageFileError(f"There is no image: files must end in {', '.join(sorted(SUFFIXES))}.")
    while len({one[0] for one in parts}) == 1 and min(map(len, parts)) > 2:
        parts = [one[1:] for one in parts]
    for one in parts:
        if not 2 <= len(one) <= 3:
            raise ImageFileError(
                f"{'/'.join(one)} must be in a folder named by its domain, as north/1.png, or "
                "in a class within it."
            )
    places = [PurePosixPath(*one) for one in parts]
    if len({str(place).casefold() for place in places}) < len(places):
        raise ImageFileError("Two images have the same name in the same folder: rename one.")
    return places


def _checked(path: str) -> tuple[str, ...]:
    parts = tuple(path.replace("\\", "/").split("/"))
    for part in parts:
        bad = part in ("", ".", "..") or ":" in part or not part.isprintable()
        if bad or len(part.encode(errors="replace")) > LONGEST:
            raise ImageFileError(
                f"{path[:LONGEST]!r} is not a path within a folder. Rename the file or its folder."
            )
    return parts


def _copy(file: Readable, target: Path, most: int) -> int:
    """Write a file, and say how many bytes it had; more than `most` are refused as they come."""
    target.parent.mkdir(parents=True, exist_ok=True)
    done = 0
    with target.open("xb") as out:
        while block := file.read(BLOCK):
            done += len(block)
            if done > most:
                raise ImageFileError(_too_large())
            out.write(block)
    return done
