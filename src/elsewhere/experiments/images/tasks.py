"""Models of images as tasks: each is fitted and judged by itself, in whichever process."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from elsewhere.experiments.images.methods import ImageMethod, ImagePlan, row_key, run_method
from elsewhere.experiments.images.settings import ImageSetting, load
from elsewhere.experiments.images.store import RunStore
from elsewhere.images.classifiers import NetworkName


@dataclass(frozen=True)
class ImageTask:
    """One model of one seed, and where its images, judges and autoencoder are."""

    folder: Path
    setting: ImageSetting
    directory: Path | None
    method: ImageMethod
    seed: int
    network: NetworkName

    def run(self) -> str:
        """Fit, judge and keep; returns what was done, in words."""
        store = _store(self.folder, self.setting, self.directory)
        judges = store.judges(self.network)
        run_method(store, self.method, self.seed, judges, self.network)
        return f"{self.method.label}, seed {self.seed}"


def missing(store: RunStore, plan: ImagePlan, directory: Path | None) -> Iterator[ImageTask]:
    """What of a plan is left to do."""
    where = store.folder, store.setting, directory
    for method, seed in plan.runs(store.setting):
        if store.kept.get(row_key(store, method, seed, plan.network)) is None:
            yield ImageTask(*where, method, seed, plan.network)


@cache
def _store(folder: Path, setting: ImageSetting, directory: Path | None) -> RunStore:
    """The images are loaded once a process."""
    return RunStore(folder, setting, load(setting, directory))
