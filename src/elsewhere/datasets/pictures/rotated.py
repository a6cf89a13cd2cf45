"""RMNIST and RFMNIST: the same images turned; a domain is an angle, the class is kept."""

import os
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray, UInt8
from scipy import ndimage

from elsewhere.datasets.pictures.checks import Images
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits, as_bytes, as_floats
from elsewhere.datasets.pictures.mnist import SOURCES, LabelledDigits, load_mnist
from elsewhere.draws import generator

ANGLES = (0.0, 15.0, 30.0, 45.0, 60.0)


def rotated_mnist(
    key: PRNGKeyArray,
    name: str = "mnist",
    directory: str | os.PathLike[str] | None = None,
    *,
    angles: Sequence[float] = ANGLES,
    digits: int | None = None,
    replicate: bool = True,
) -> ImageSplits:
    """x_d = R(θ_d) x: every image in every domain, turned anticlockwise by that domain's angle.

    A tenth of the training images is for validation; the test images are the published ones.

    Args:
        key: which training images are for validation, and which are used.
        name: "mnist" or "fashion-mnist".
        directory: where the four IDX files are; see `load_mnist`.
        angles: θ_d in degrees, one per domain.
        digits: the most training images to use, and a sixth as many test images.
        replicate: as in the paper, every image enters every domain. If not, each enters one
            only, so that no image is ever seen in two.
    """
    rng = generator(key)
    parts = base_splits(rng, name, directory, digits)
    names = SOURCES[name].class_names
    train, valid, test = (rotate_all(rng, part, angles, names, replicate) for part in parts)
    return ImageSplits(train, valid, test)


def base_splits(
    rng: np.random.Generator,
    name: str,
    directory: str | os.PathLike[str] | None,
    limit: int | None,
    kinds: Sequence[int] | None = None,
) -> tuple[LabelledDigits, LabelledDigits, LabelledDigits]:
    """Unrotated images for training (nine tenths), validation (one tenth) and test."""
    published, test = load_mnist(name, directory)
    rows = rng.permutation(_rows(published, kinds))[:limit]
    last = _rows(test, kinds)[: None if limit is None else max(1, limit // 6)]
    cut = max(1, len(rows) // 10)
    return published.take(rows[cut:]), published.take(rows[:cut]), test.take(last)


def rotate_all(
    rng: np.random.Generator,
    base: LabelledDigits,
    angles: Sequence[float],
    class_names: tuple[str, ...],
    replicate: bool = True,
) -> ImageData:
    """The images of `base` in every domain, or each in one; the truth turns the same image."""
    index, domains = spread_over(rng, len(base.labels), len(angles), replicate)

    def truth(rows: Int[np.ndarray, " r"], target: int) -> Images:
        return rotate(base.images[index[rows]], angles[target])[..., None]

    images = np.empty((len(index), *base.images.shape[1:]), np.uint8)
    for d, angle in enumerate(angles):
        images[domains == d] = rotate(base.images[index[domains == d]], angle)
    return ImageData(
        images[..., None],
        domains,
        tuple(f"{angle:g}°" for angle in angles),
        base.labels[index],
        class_names,
        {"original": index},
        truth,
    )


def spread_over(
    rng: np.random.Generator, n: int, num_domains: int, replicate: bool
) -> tuple[Int[np.ndarray, " r"], Int[np.ndarray, " r"]]:
    """(which of n originals, which domain) of each image."""
    if replicate:
        return np.tile(np.arange(n), num_domains), np.repeat(np.arange(num_domains), n)
    return np.arange(n), rng.permutation(np.arange(n) % num_domains)


def rotate(images: UInt8[np.ndarray, "n h h"], degrees: float) -> UInt8[np.ndarray, "n h h"]:
    """Turn anticlockwise about the centre; cubic interpolation, black beyond the edges."""
    turns, rest = divmod(degrees, 90)
    if rest == 0:
        return np.rot90(images, int(turns), (1, 2))
    n, h, _ = images.shape
    flat = as_floats(images.reshape(n, h * h)) @ _rotation(h, float(degrees))
    return as_bytes(flat).reshape(n, h, h)


@lru_cache(maxsize=32)
def _rotation(h: int, degrees: float) -> Float[np.ndarray, "p p"]:
    """Rotation is linear in the pixels: its matrix, found by turning every single pixel."""
    pixels = np.eye(h * h, dtype=np.float32).reshape(h * h, h, h)
    turned = ndimage.rotate(pixels, degrees, (2, 1), reshape=False, order=3)
    return turned.reshape(h * h, h * h)


def _rows(data: LabelledDigits, kinds: Sequence[int] | None) -> Int[np.ndarray, " r"]:
    return np.flatnonzero(np.isin(data.labels, kinds) if kinds is not None else data.labels >= 0)
