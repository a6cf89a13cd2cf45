"""What is trained once and kept: judges, autoencoder, codes and models of codes, by name.

A name ends in a digest of all that the thing depends on, so that nothing stale is ever read.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jaxtyping import Int, PRNGKeyArray

from elsewhere.datasets.pictures import ImageData, ImageSplits
from elsewhere.experiments.images.settings import ImageSetting
from elsewhere.experiments.rows import KeptRows, RowKey, digest
from elsewhere.images.autoencoder import Autoencoder, ImageCodes
from elsewhere.images.classifiers import Classifier, NetworkName
from elsewhere.images.descent import StepProgress
from elsewhere.images.elbo import CoderSettings, train_autoencoder
from elsewhere.images.filters import BLURRIER_FILTERS, PAPER_FILTERS, Filters
from elsewhere.images.metrics import Judges
from elsewhere.images.training import PACES, train_classifier
from elsewhere.saving import read_model, reading, write_model
from elsewhere.saving.images import autoencoder_back, autoencoder_parts

Bar = Callable[[str], StepProgress | None]  # from what is being trained to what follows its steps
CODE = "elsewhere.experiments.images.methods"  # the module that computes the rows
_JUDGES_KEY, _AUTOENCODER_KEY = 1, 2


@dataclass(frozen=True)
class RunStore:
    """The folder of one experiment, with its settings and its images."""

    folder: Path
    setting: ImageSetting
    data: ImageSplits
    bar: Bar = lambda name: None

    def path(self, name: str, *parts: Any) -> Path:
        """Where a thing is that depends on the code, on the images and on `parts`."""
        made_from = self.kept.made_by, self.setting.data, self._seen(), *parts
        return self.folder / f"{name}-{digest(*made_from)}.model"

    @property
    def kept(self) -> KeptRows:
        """The rows of this experiment, beside what was trained for them."""
        return KeptRows(self.folder.parent, CODE)

    def key(self, method: str, seed: int, *parts: Any) -> RowKey:
        """Of a row that depends on the images and on `parts`."""
        return RowKey(self.folder.name, method, seed, (self.setting.data, self._seen(), *parts))

    def judges(self, network: NetworkName) -> Judges:
        """h_class and h_domain, trained once."""
        train, keys = self.data.train, jax.random.split(self._key(_JUDGES_KEY))
        if train.classes is None:
            raise ValueError("data must have classes, because the judges learn them.")
        class_task = train.classes, len(train.class_names), PAPER_FILTERS
        domain_task = train.domains, train.num_domains, BLURRIER_FILTERS
        return Judges(
            self._judge(keys[0], f"class-judge-{network}", network, *class_task),
            self._judge(keys[1], f"domain-judge-{network}", network, *domain_task),
        )

    def autoencoder(self) -> Autoencoder:
        """One for every k, seed and variant."""
        path = self.path("autoencoder", *self.stage_one())
        if not path.exists():
            parts, arrays = autoencoder_parts(self._new_autoencoder())
            write_model(path, {"kind": "Autoencoder"} | parts, arrays)
        header, arrays = read_model(path)
        with reading(path):
            return autoencoder_back(header, arrays)

    def codes(self) -> ImageCodes:
        """q(z | x) of the training images."""
        path = self.path("codes", *self.stage_one())
        if not path.exists():
            codes = self.autoencoder().encode(self.data.train.images)
            write_model(path, {"kind": "Codes"}, [*codes])
        return ImageCodes(*read_model(path)[1])

    def stage_one(self) -> tuple[int, CoderSettings]:
        """All that the autoencoder and its codes depend on, beside the images."""
        return self.setting.m, self.setting.coder

    def _new_autoencoder(self) -> Autoencoder:
        key, images = self._key(_AUTOENCODER_KEY), self.data.train.images
        return train_autoencoder(key, images, *self.stage_one(), progress=self.bar("autoencoder"))

    def _judge(
        self,
        key: PRNGKeyArray,
        name: str,
        network: NetworkName,
        labels: Int[np.ndarray, " n"],
        num_classes: int,
        filters: Filters,
    ) -> Classifier:
        path = self.path(name, self.setting.judge_steps, filters, PACES[network])
        if path.exists():
            return Classifier.load(path)
        steps, images = self.setting.judge_steps, self.data.train.images
        how = {"network": network, "steps": steps, "filters": filters}
        judge = train_classifier(
            key, images, labels, num_classes, **how, progress=self.bar(name.replace("-", " "))
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        judge.save(path)
        return judge

    def _key(self, purpose: int) -> PRNGKeyArray:
        return jax.random.key(10 * self.setting.draw + purpose)

    def _seen(self) -> str:
        """A fingerprint of the training images: another folder of files is other data."""
        images = self.data.train.images
        return hashlib.sha256(images[:: max(1, len(images) // 50)].tobytes()).hexdigest()


def judged(data: ImageData, most: int) -> ImageData:
    """At most `most` images of each domain, always the same."""
    rng = np.random.default_rng(0)
    parts = [rng.permutation(data.rows_of(d))[:most] for d in range(data.num_domains)]
    return data.take(np.sort(np.concatenate(parts)))
