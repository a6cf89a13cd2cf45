"""Compiled programs kept between processes: JAX's own cache, bounded and safe to share.

JAX writes an entry in place, so that whoever reads at the wrong time, or comes after a process that
was killed, finds half of one. So every process has a folder of its own, with links to all entries
kept; what it adds is moved to the others, by renaming, when it ends.
"""

import atexit
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import warnings
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from elsewhere.files import is_alive, user_cache

VARIABLE = "ELSEWHERE_COMPILED"  # "off", or a folder
OFF = ("off", "0", "no", "false")
MOST_BYTES = 256 << 20
_FOLDER = "JAX_COMPILATION_CACHE_DIR"
_SETTINGS = {
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none",  # else entries are known by their folder, too
}
_RUNNING, _ENTRIES = "running", "*-cache"


def keep_compiled() -> Path | None:
    """Let JAX, which must not be loaded yet, find and keep compiled programs; None where it cannot.

    A folder that was given to JAX already, by JAX_COMPILATION_CACHE_DIR, is left to it.
    """
    asked = os.environ.get(VARIABLE, "")
    given = os.environ.get(_FOLDER)
    ours = given is not None and Path(given).parent.name == _RUNNING  # of the process above
    if asked.lower() in OFF or "jax" in sys.modules or (given is not None and not ours):
        return None
    root = Path(asked).expanduser() if asked else user_cache() / "compiled"
    try:
        own = _own_folder(root / _machine())
    except OSError:  # a home that cannot be written, or a disk without hard links
        return None
    os.environ[_FOLDER] = str(own)
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    warnings.filterwarnings("ignore", r"Error \w+ persistent compilation cache")  # a full disk
    atexit.register(_publish, own, os.getpid())
    return own


def _machine() -> str:
    """Of what compiled code depends on, and of where processes are known by their number."""
    flags = ""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    known = (platform.node(), platform.machine(), flags, version("jaxlib"))
    return hashlib.sha256("\n".join(known).encode()).hexdigest()[:16]


def _own_folder(shared: Path) -> Path:
    """A new folder with links to all entries; those of processes that are gone are removed."""
    running = shared / _RUNNING
    running.mkdir(parents=True, exist_ok=True)
    for old in running.iterdir():
        number = old.name.partition("-")[0]
        if number.isdigit() and not is_alive(int(number)):
            shutil.rmtree(old, ignore_errors=True)
    own = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=running))
    for entry in shared.glob(_ENTRIES):
        with suppress(FileNotFoundError):  # another process has just removed it
            os.link(entry, own / entry.name)
    return own


def _publish(own: Path, process: int) -> None:
    """Move what is new to where all processes find it, and remove what was not used for longest."""
    if os.getpid() != process:  # a child that was forked off
        return
    shared = own.parent.parent
    with suppress(OSError):
        for entry in own.glob(_ENTRIES):
            if not (shared / entry.name).exists():
                entry.replace(shared / entry.name)
        _prune(shared, MOST_BYTES)
    shutil.rmtree(own, ignore_errors=True)


def _prune(shared: Path, most: int) -> None:
    found = [(entry, entry.stat()) for entry in shared.glob(_ENTRIES)]
    found.sort(key=lambda pair: max(pair[1].st_atime, pair[1].st_mtime))
    total = sum(status.st_size for _, status in found)
    for entry, status in found:
        if total <= most:
            return
        entry.unlink(missing_ok=True)
        total -= status.st_size
