"""CRMNIST: digits 0, 1 and 2, upright or turned by 90°, in a colour that both influence."""

import os

import numpy as np
from jaxtyping import Bool, Int, PRNGKeyArray, UInt8

from elsewhere.datasets.pictures.checks import Images
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits
from elsewhere.datasets.pictures.mnist import LabelledDigits
from elsewhere.datasets.pictures.rotated import base_splits, rotate, spread_over
from elsewhere.draws import generator

DIGITS = (0, 1, 2)
ANGLES = (0.0, 90.0)
COLOURS = ("red", "green", "blue", "yellow", "cyan", "pink")
RGB = np.array(
    [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (0, 255, 255), (255, 0, 255)], np.uint16
)


def coloured_rotated_mnist(
    key: PRNGKeyArray,
    directory: str | os.PathLike[str] | None = None,
    *,
    digits: int | None = None,
    replicate: bool = True,
) -> ImageSplits:
    """x = colour · R(θ_d) digit; the colour is f(y, d) if ε > 0, else any of six.

    f gives each of the six pairs of class and domain its own colour, in the paper's order.
    The true counterfactual keeps the digit, ε and the draw of six, and changes d.

    Args:
        key: which digits are for validation, and all colours.
        directory: where MNIST's IDX files are; see `load_mnist`.
        digits: the most training digits to use, and a sixth as many test digits.
        replicate: as in the paper, every digit enters both domains, each time with its own noise.
    """
    rng = generator(key)
    parts = base_splits(rng, "mnist", directory, digits, DIGITS)
    train, valid, test = (colour_all(rng, part, replicate) for part in parts)
    return ImageSplits(train, valid, test)


def colour_all(rng: np.random.Generator, base: LabelledDigits, replicate: bool = True) -> ImageData:
    """The digits in both domains, or each in one, coloured by the mechanism."""
    index, domains = spread_over(rng, len(base.labels), len(ANGLES), replicate)
    classes = base.labels[index]
    follows, drawn = rng.standard_normal(len(index)) > 0, rng.integers(0, len(COLOURS), len(index))

    def paint(rows: Int[np.ndarray, " r"], d: Int[np.ndarray, " r"]) -> Images:
        colour = colour_of(classes[rows], d, follows[rows], drawn[rows])
        return tint(_turned(base.images[index[rows]], d), colour)

    rows = np.arange(len(index))
    return ImageData(
        paint(rows, domains),
        domains,
        tuple(f"{angle:g}°" for angle in ANGLES),
        classes,
        tuple(str(digit) for digit in DIGITS),
        {"original": index, "colour": colour_of(classes, domains, follows, drawn)},
        lambda rows, target: paint(rows, np.full(len(rows), target)),
    )


def colour_of(
    classes: Int[np.ndarray, " n"],
    domains: Int[np.ndarray, " n"],
    follows: Bool[np.ndarray, " n"],
    drawn: Int[np.ndarray, " n"],
) -> Int[np.ndarray, " n"]:
    """z_c = 2 y + d where ε > 0, else the drawn one: a position in `COLOURS`."""
    return np.where(follows, len(ANGLES) * classes + domains, drawn)


def tint(
    images: UInt8[np.ndarray, "n h w"], colours: Int[np.ndarray, " n"]
) -> UInt8[np.ndarray, "n h w 3"]:
    """Grey digits in these colours, on black."""
    return (images[..., None] * RGB[colours, None, None] // 255).astype(np.uint8)


def _turned(
    images: UInt8[np.ndarray, "n h h"], domains: Int[np.ndarray, " n"]
) -> UInt8[np.ndarray, "n h h"]:
    turned = np.empty_like(images)
    for d, angle in enumerate(ANGLES):
        turned[domains == d] = rotate(images[domains == d], angle)
    return turned
