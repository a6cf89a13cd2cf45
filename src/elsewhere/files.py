"""Files that appear whole or not at all, with the permissions their owner expects."""

import errno
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from platform import node

_PRIVATE, _UP_TO_THE_UMASK = 0o600, 0o666
_SHOWN = 40  # characters of a file's name in that of its part: names have at most 255 bytes
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OPEN: set[Path] = set()  # parts that this process is writing
_NEW: set[Path] = set()  # files that must not exist when their part takes its place
_LEFT = re.compile(r"\..*\.(?P<host>[0-9a-f]{8})-(?P<pid>\d+)-[0-9a-f]{8}\.part", re.DOTALL)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A neighbour to write to, which takes the place of `path` at the end; on an error it goes.

    Whatever was at `path` stays until then, so that a reader never sees half a file. A device or a
    pipe cannot be replaced: it is written to as it is. A file that is replaced keeps its mode; a
    new one has the mode that the umask leaves. What a process that died has left behind in the
    folder is removed.
    """
    with _named_if_full(path):
        if is_device(path):
            yield path
            return
        with _part(resolved(path)) as part:
            yield part


@contextmanager
def _part(path: Path) -> Iterator[Path]:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give the name of a file.")
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path.parent)
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    part = _new_part(path, _UP_TO_THE_UMASK if mode is None else _PRIVATE)
    _OPEN.add(part)
    try:
        yield part
        _to_disk(part)
        if mode is not None:
            part.chmod(mode)
        _take_place(part, path)
    finally:
        part.unlink(missing_ok=True)
        _OPEN.discard(part)
    if os.name == "posix":
        with suppress(OSError):  # not every file system can; the file itself is on disk
            _to_disk(path.parent)


@contextmanager
def _named_if_full(path: Path) -> Iterator[None]:
    """An error of a full disk, which names no file or the part, names this one."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            error.filename = str(path)
        raise


def write_whole(path: Path, content: bytes) -> Path:
    """The content at `path`, whole or not at all."""
    with whole_file(path) as part:
        part.write_bytes(content)
    return path


def user_cache() -> Path:
    """The folder for what can be made again: in $XDG_CACHE_HOME, else in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "elsewhere"


def is_device(path: Path) -> bool:
    """Whether it is a device or a pipe, as /dev/stdout is even where that leads to a file."""
    return path.parent.as_posix() in ("/dev", "/dev/fd") or (
        path.exists() and not path.is_file() and not path.is_dir()
    )


def resolved(path: Path) -> Path:
    """The path behind all links; OSError where they loop, also in Pythons that say otherwise."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def never_replace(path: Path, never: bool = True) -> None:
    """From now on, `whole_file` replaces no file at `path`, not even one that is new by then."""
    (_NEW.add if never else _NEW.discard)(resolved(path))


def remove_open_parts() -> None:
    """Remove what this process is writing: it is about to end."""
    for part in [*_OPEN]:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _take_place(part: Path, path: Path) -> None:
    if path not in _NEW:
        part.replace(path)
        return
    try:
        os.link(part, path)  # unlike a rename, it fails where there is a file
    except FileExistsError:
        raise FileExistsError(
            f"{path} was created while the command ran. Add --force to overwrite it, or choose "
            "another file."
        ) from None
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError(
                f"{path} was created while the command ran. Add --force to overwrite it."
            ) from None
        part.replace(path)


def _new_part(path: Path, mode: int) -> Path:
    """An empty file beside `path` whose name says which process writes it; the umask applies."""
    name = f".{path.name[:_SHOWN]}.{_host()}-{os.getpid()}-{os.urandom(4).hex()}.part"
    part = path.with_name(name)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    return part


@cache
def _remove_leftovers(folder: Path) -> None:
    """Remove the parts of processes of this machine that are dead; once per folder and process."""
    for entry in list(os.scandir(folder)):
        found = _LEFT.fullmatch(entry.name)
        if found and found["host"] == _host() and not is_alive(int(found["pid"])):
            with suppress(OSError):  # another process may have been faster
                os.unlink(entry.path)


def is_alive(pid: int) -> bool:
    """Whether a process of this machine lives; on Windows, to ask may end it: all do."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _host() -> str:
    """This machine, in eight digits: on a shared disk another one's processes look dead here."""
    return f"{zlib.crc32(node().encode()):08x}"


def _to_disk(path: Path) -> None:
    """What a full disk refuses late is refused here, before the file takes its place."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
