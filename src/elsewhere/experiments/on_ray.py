"""Tasks on a Ray cluster: nodes compute rows, and this process alone keeps them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from elsewhere.experiments.rows import KeptRows
from elsewhere.files import write_whole

if TYPE_CHECKING:
    from elsewhere.experiments.processes import Task

RETRIES = 5  # of a task whose node or process died
LOCAL = "local"


@dataclass(frozen=True)
class Made:
    """What a task made: what it says, and its files by their place in the folder of rows."""

    said: str
    files: dict[str, bytes]

    def keep(self, folder: Path) -> str:
        """Write the files, each whole or not at all."""
        for place, content in self.files.items():
            write_whole(folder / place, content)
        return self.said


def made_by(task: "Task") -> Made:
    """Run a task of a sweep in a folder of its own, wherever this is."""
    kept = _rows_of(task)
    with TemporaryDirectory() as folder:
        here: Any = replace(task, kept=replace(kept, folder=Path(folder)))  # type: ignore[type-var]
        said = here.run()
        files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in _files(Path(folder))}
    return Made(said, files)


def each_done_on_ray(tasks: "Sequence[Task]", address: str = LOCAL) -> Iterator[str]:
    """What each task says when it is done; one whose node dies is run again on another.

    Rows are kept by this process when they arrive. So a task that ran twice is kept once, and a
    sweep that was stopped goes on with what is left.
    """
    ray = _ray()
    own = not ray.is_initialized()
    if own:
        here = {"include_dashboard": False} if address == LOCAL else {"address": address}
        ray.init(log_to_driver=False, **here)
    remote = ray.remote(made_by).options(num_cpus=1, max_retries=RETRIES)
    try:
        waiting = {remote.remote(task): task for task in tasks}
        while waiting:
            done, _ = ray.wait(list(waiting), num_returns=1)
            for one in done:
                yield ray.get(one).keep(_rows_of(waiting.pop(one)).folder)
    finally:
        if own:
            ray.shutdown()


def _rows_of(task: "Task") -> KeptRows:
    kept = getattr(task, "kept", None)
    if not isinstance(kept, KeptRows):
        raise ValueError(f"a {type(task).__name__} does not keep its rows as `Rows`: run it here.")
    return kept


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _ray() -> Any:
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "--on ray needs Ray: pip install 'elsewhere[ray]'.", name="ray"
        ) from None
    return ray
