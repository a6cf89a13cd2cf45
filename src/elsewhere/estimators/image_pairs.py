"""Images seen in two domains, as the user gives them, as one stack."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from elsewhere.datasets.pictures.checks import checked_images
from elsewhere.datasets.pictures.image_data import as_floats
from elsewhere.estimators.image_labels import label_of
from elsewhere.estimators.pairs import as_pairs
from elsewhere.fitting import Pairs

Images = Float[np.ndarray, "n h w c"]


class ImagePairs(NamedTuple):
    """Images in the domains d, and the same images in the domains d_prime."""

    images: Images
    others: Images
    d: Int[np.ndarray, " n"]
    d_prime: Int[np.ndarray, " n"]


def image_pairs(
    pairs: Any, domains: tuple[str, ...], shape: tuple[int, int, int]
) -> ImagePairs | None:
    """`Pairs`, a tuple (source, target, images, others), or a list of these; None where none are.

    Args:
        pairs: as given to `fit`.
        domains: the names of the domains.
        shape: (height, width, channels) of the images fitted.
    """
    parts = [_of_two(pair, domains, shape) for pair in as_pairs(pairs)]
    return ImagePairs(*map(np.concatenate, zip(*parts, strict=True))) if parts else None


def _of_two(pair: Pairs, domains: tuple[str, ...], shape: tuple[int, int, int]) -> ImagePairs:
    images, others = (_checked(given, shape) for given in (pair.x_source, pair.x_target))
    d, d_prime = (label_of("pairs", name, domains) for name in (pair.source, pair.target))
    if len(images) != len(others):
        raise ValueError(
            "pairs must have as many images in their source as in their target, in the same order; "
            f"got {len(images)} and {len(others)}."
        )
    if d == d_prime:
        raise ValueError(f"pairs must be of two domains; got {domains[d]!r} twice.")
    return ImagePairs(images, others, *(np.full(len(images), end) for end in (d, d_prime)))


def _checked(images: ArrayLike, shape: tuple[int, int, int]) -> Images:
    found = checked_images("pairs", images)
    if found.shape[1:] != shape:
        raise ValueError(
            f"pairs must be images of {shape}, as those fitted; got {found.shape[1:]}. Resize them."
        )
    return as_floats(found)
