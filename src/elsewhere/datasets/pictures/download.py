"""Files from the web, kept only when their SHA-256 is the one we know. Nothing runs at import."""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

from elsewhere.files import user_cache


class DownloadError(ValueError):
    """A file that could not be found or downloaded."""


def data_folder(name: str, directory: str | os.PathLike[str] | None = None) -> Path:
    """Where the files of a data set are: `directory`, else $ELSEWHERE_DATA/name, else a cache."""
    if directory is not None:
        return Path(directory).expanduser()
    if root := os.environ.get("ELSEWHERE_DATA"):
        return Path(root).expanduser() / name
    return user_cache() / name


def fetch(name: str, folder: Path, mirrors: Sequence[str], sha256: str) -> Path:
    """Download mirror/name into the folder from the first mirror that has the right file."""
    failures = []
    for mirror in mirrors:
        try:
            content = read_url(mirror + name)
        except OSError as error:
            failures.append(f"{mirror}: {error}")
            continue
        found = hashlib.sha256(content).hexdigest()
        if found == sha256:
            return _write(folder / name, content)
        failures.append(f"{mirror}: SHA-256 {found[:12]}…, not {sha256[:12]}…")
    raise DownloadError(
        f"{name} could not be downloaded ({'; '.join(failures)}). Put the file into {folder}, "
        "or name the folder that has it by `directory` or the variable ELSEWHERE_DATA."
    )


def read_url(url: str) -> bytes:
    """What the address holds."""
    with urlopen(url, timeout=30) as response:  # noqa: S310
        return response.read()


def _write(path: Path, content: bytes) -> Path:
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(content)
    os.replace(part.name, path)
    return path
