"""What the app keeps, on disk: tables, folders and fits; a reload and a second tab see the same."""

import json
import re
import secrets
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elsewhere.files import write_whole

NAME = re.compile(r"[0-9a-f]{12}")
PRIVATE = 0o700
DONE, RUNNING, FAILED, CANCELLED = "done", "running", "failed", "cancelled"


class MissingError(LookupError):
    """No table or fit of this name is kept."""


class Store:
    """A place for each table, each folder of images and each fit, with a JSON file on it."""

    def __init__(self, folder: Path):
        self.folder = folder.resolve()  # fits run in a folder of their own
        for kind in ("tables", "folders", "fits"):
            (self.folder / kind).mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        for fit in self.all("fits"):
            if fit["status"] == RUNNING:  # by an app that has ended
                self.change("fits", fit["id"], status=CANCELLED, text="The app ended.")

    def new(self, kind: str, about: Mapping[str, Any]) -> str:
        """Make a folder and return its name."""
        name = secrets.token_hex(6)
        (self.folder / kind / name).mkdir(mode=PRIVATE)
        self._write(kind, name, dict(about) | {"id": name, "made": time.time()})
        return name

    def place(self, kind: str, name: str) -> Path:
        """The folder of a table or a fit."""
        found = self.folder / kind / name
        if not NAME.fullmatch(name) or not found.is_dir():
            raise MissingError(
                f"There is no such {kind.removesuffix('s')}; it may have been removed."
            )
        return found

    def about(self, kind: str, name: str) -> dict[str, Any]:
        """What is known of it."""
        return json.loads((self.place(kind, name) / "about.json").read_text(encoding="utf-8"))

    def change(self, kind: str, name: str, **changes: Any) -> None:
        """Write down what has changed."""
        self._write(kind, name, self.about(kind, name) | changes)

    def all(self, kind: str) -> list[dict[str, Any]]:
        """Every table or fit, the latest first."""
        names = [p.name for p in (self.folder / kind).iterdir() if (p / "about.json").is_file()]
        found = [self.about(kind, name) for name in names if NAME.fullmatch(name)]
        return sorted(found, key=lambda one: -one["made"])

    def remove(self, kind: str, name: str) -> None:
        """Delete a table or a fit with all that belongs to it."""
        shutil.rmtree(self.place(kind, name))

    def _write(self, kind: str, name: str, about: Mapping[str, Any]) -> None:
        text = json.dumps(about, ensure_ascii=False)
        write_whole(self.folder / kind / name / "about.json", text.encode())
