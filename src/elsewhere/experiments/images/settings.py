"""All that can be tuned of the image experiments, in one place."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import jax
from jaxtyping import PRNGKeyArray

from elsewhere.datasets.pictures import (
    ImageSplits,
    coloured_rotated_mnist,
    load_ident,
    load_shapes,
    rendered_ident,
    rendered_shapes,
    rotated_mnist,
)
from elsewhere.images.autoencoder import Architecture
from elsewhere.images.elbo import CoderSettings
from elsewhere.images.fit_codes import FAR, FlowSettings

JUDGED = 500  # test images of each domain that every model is judged by, at most
_SLOW = CoderSettings(steps=6_000, rate=1e-3, optimiser="adam")  # by which I1 to I4 were run


@dataclass(frozen=True)
class ImageSetting:
    """One data set and how its models are trained.

    Args:
        title: what varies between domains, in words.
        source: which data, a name in `SOURCES`.
        amount: training digits of MNIST-like data (None for all), images per domain of scenes.
        side: height and width of scenes, in pixels.
        m: the dimension of a code.
        k: the default number of mechanisms that differ.
        ks: of the curves against k.
        coder: of the autoencoder.
        flow: of the models of codes.
        judge_steps: of each of the two classifiers.
        recipe_architecture: the paper's encoder and decoder.
        recipe_beta: its weight of the divergence.
        recipe_steps: of the paper's recipe as run here; the paper has 200,000 to 500,000.
        recipe_batch: images in each of them; the paper has 1,024.
        draw: which images, judges and autoencoder; every seed, variant and k of a draw shares them.
    """

    title: str
    source: str
    amount: int | None
    side: int = 28
    m: int = 20
    k: int = 1
    ks: tuple[int, ...] = (1, 2, 3, 5, 20)
    coder: CoderSettings = _SLOW
    flow: FlowSettings = FlowSettings()
    judge_steps: int = 1_000
    recipe_architecture: Architecture = "beta_vae"
    recipe_beta: float = 1_000.0
    recipe_steps: int = 6_000
    recipe_batch: int = 32
    draw: int = 0

    @property
    def data(self) -> tuple[str, int | None, int]:
        """What distinguishes the images of two settings."""
        return self.source, self.amount, self.side


_TURNED = FlowSettings(12, 224, steps=4_000, rate=2e-3, change=(0.03, 0.003), volume=(0.5, 0.03))
IMAGE_EXPERIMENTS: dict[str, ImageSetting] = {
    "I1": ImageSetting("RMNIST: digits turned by 0, 15, 30, 45, 60°", "mnist", None, flow=_TURNED),
    "I2": ImageSetting("RFMNIST: garments, likewise turned", "fashion-mnist", None, flow=_TURNED),
    "I3": ImageSetting(
        "CRMNIST: coloured digits, upright or turned by 90°",
        "coloured",
        None,
        m=10,
        k=1,
        ks=(1, 2, 3, 5, 10),
        coder=replace(_SLOW, steps=4_000),
        flow=replace(FAR, couplings=8, width=128, change=(0.02, 0.002)),
    ),
    "I4": ImageSetting(
        "3D Shapes, drawn here: four shapes in a room",
        "shapes",
        10_000,
        coder=replace(_SLOW, beta=0.05, steps=5_000),
        flow=FlowSettings(steps=2_000, change=(0.1, 0.03), volume=(0.3, 0.03)),
        recipe_beta=10.0,
    ),
    "I5": ImageSetting(
        "Causal3DIdent, drawn here: two ranges of background hue",
        "ident",
        20_000,
        side=32,
        coder=CoderSettings(beta=0.01, colours=6, steps=5_400, rate=5e-3),
        flow=FlowSettings(steps=1_500, change=(0.03, 0.02), volume=(1.0, 0.3)),
        recipe_architecture="vq_vae",
        recipe_beta=10.0,
    ),
}
CURVES = "I7"  # the metrics against k, for all of the above


def setting_of(name: str, *, quick: bool = False, draw: int = 0) -> ImageSetting:
    """The settings of an experiment; `quick` has few images and few steps."""
    if name not in IMAGE_EXPERIMENTS:
        known = ", ".join([*IMAGE_EXPERIMENTS, CURVES])
        raise ValueError(f"experiment must be one of {known}; got {name!r}.")
    setting = replace(IMAGE_EXPERIMENTS[name], draw=draw)
    return _quick(setting) if quick else setting


Source = Callable[[PRNGKeyArray, "ImageSetting", Path | None], ImageSplits]
SOURCES: dict[str, Source] = {
    "mnist": lambda key, s, where: rotated_mnist(
        key, "mnist", folder_of(where, "mnist"), digits=s.amount
    ),
    "fashion-mnist": lambda key, s, where: rotated_mnist(
        key, "fashion-mnist", folder_of(where, "fashion-mnist"), digits=s.amount
    ),
    "coloured": lambda key, s, where: coloured_rotated_mnist(
        key, folder_of(where, "mnist"), digits=s.amount
    ),
    "shapes": lambda key, s, where: rendered_shapes(key, s.amount or 5_000, size=s.side),
    "ident": lambda key, s, where: rendered_ident(key, s.amount or 9_000, size=s.side),
    "3dshapes.h5": lambda key, s, where: load_shapes(
        key, release_in(where, "3dshapes.h5"), per_domain=s.amount, size=s.side
    ),
    "causal3dident": lambda key, s, where: load_ident(
        key, release_in(where, "causal3dident"), per_domain=s.amount, size=s.side
    ),
}
RELEASES = {"shapes": "3dshapes.h5", "ident": "causal3dident"}  # what takes a drawn set's place


def load(setting: ImageSetting, directory: Path | None) -> ImageSplits:
    """The images; for `directory` see `folder_of`."""
    return SOURCES[setting.source](jax.random.key(setting.draw), setting, directory)


def as_published(setting: ImageSetting, directory: Path | None) -> ImageSetting:
    """The setting with the published images in place of drawn ones, if the directory has them."""
    release = RELEASES.get(setting.source)
    if release is None or directory is None or not (directory / release).exists():
        return setting
    title = setting.title.replace("drawn here", "as published")
    return replace(setting, source=release, title=title)


def release_in(directory: Path | None, name: str) -> Path:
    """`directory`/`name`, or a ValueError that says what to do."""
    if directory is None:
        raise ValueError(f"--data-dir must be the directory that holds {name}; got none.")
    return directory / name


def folder_of(directory: Path | None, name: str) -> Path | None:
    """`directory`/`name`; only MNIST's files may lie in `directory` itself, unless it has the name.

    Both data sets call their files the same, so digits must never be taken for garments.
    """
    if directory is None or directory.name == name:
        return directory
    inside = directory / name
    return directory if name == "mnist" and not inside.is_dir() else inside


def _quick(setting: ImageSetting) -> ImageSetting:
    return replace(
        setting,
        amount=600 if setting.source in ("shapes", "ident") else 2_000,
        ks=(setting.ks[0], setting.k, setting.m),
        coder=replace(setting.coder, steps=400),  # with 240 it still draws grey clouds
        flow=replace(setting.flow, couplings=4, width=64, steps=200, batch=256),
        judge_steps=160,
        recipe_steps=100,
    )
