"""Any arrays as image data, and random splits of it."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Int, Shaped
from numpy.typing import ArrayLike

from elsewhere.datasets.pictures.checks import Images, checked_images
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits


def image_data(
    images: Mapping[str, ArrayLike] | ArrayLike,
    domains: ArrayLike | None = None,
    classes: ArrayLike | None = None,
) -> ImageData:
    """Images by domain, {name: [n_d, h, w, c]}; or all images with a label each.

    Domains keep the order of a mapping; labels are sorted.

    Args:
        images: integers in 0..255 or floats in 0..1; [n, h, w] is one channel.
        domains: where each image is from; left out where `images` is a mapping.
        classes: what each image shows, in the order of the images; may be left out.
    """
    if isinstance(images, Mapping):
        parts = {str(d): checked_images(f"images[{d!r}]", part) for d, part in images.items()}
        counts = [len(part) for part in parts.values()]
        stack, names = stacked(parts), tuple(parts)
        codes = np.repeat(np.arange(len(parts)), counts)
    else:
        stack = checked_images("images", images)
        codes, names = _coded("domains", domains, len(stack))
    if classes is None:
        return ImageData(stack, codes, names)
    return ImageData(stack, codes, names, *_coded("classes", classes, len(stack)))


def stacked(parts: Mapping[str, Shaped[np.ndarray, "_ _ _ _"]]) -> Images:
    """All images in one array, or the domain whose size or channels differ from the first's."""
    if not parts:
        raise ValueError("images must hold at least 2 domains; got none.")
    first, model = next(iter(parts.items()))
    for name, part in parts.items():
        if part.shape[1:] != model.shape[1:] or part.dtype != model.dtype:
            raise ValueError(
                f"images[{name!r}] must have the size, channels and type of images[{first!r}], "
                f"{model.shape[1:]} {model.dtype}; got {part.shape[1:]} {part.dtype}."
            )
    return np.concatenate(list(parts.values()))


def split(
    rng: np.random.Generator, data: ImageData, *, valid: float = 0.1, test: float = 0.1
) -> ImageSplits:
    """Random rows to judge by, to choose by and to train on; the same shares of every domain."""
    if not (valid > 0 and test > 0 and valid + test < 1):
        raise ValueError(f"valid and test must be shares, together below 1; got {valid}, {test}.")
    parts = [_cut(rng.permutation(data.rows_of(d)), valid, test) for d in range(data.num_domains)]
    train, middle, last = (np.sort(np.concatenate(p)) for p in zip(*parts, strict=True))
    return ImageSplits(data.take(train), data.take(middle), data.take(last))


def _cut(rows: Int[np.ndarray, " n"], valid: float, test: float) -> list[np.ndarray]:
    sizes = [round(len(rows) * (1 - valid - test)), round(len(rows) * valid)]
    parts = np.split(rows, np.cumsum(sizes))
    if min(len(part) for part in parts) == 0:
        raise ValueError(f"every domain needs an image in each split; one has only {len(rows)}.")
    return parts


def _coded(name: str, labels: ArrayLike | None, n: int) -> tuple[np.ndarray, tuple[str, ...]]:
    given = np.asarray([] if labels is None else labels)
    if given.shape != (n,):
        raise ValueError(f"{name} must have one label per image, {n}; got shape {given.shape}.")
    kinds, codes = np.unique(given, return_inverse=True)
    return codes, tuple(str(kind) for kind in kinds.tolist())
