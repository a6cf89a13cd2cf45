"""What an array must be to count as images or labels; each error names the argument."""

import numpy as np
from jaxtyping import Int, Shaped
from numpy.typing import ArrayLike

Images = Shaped[np.ndarray, "n h w c"]


def checked_images(name: str, value: ArrayLike) -> Images:
    """[n, h, w, c] in uint8 or float32, from [n, h, w] or [n, h, w, c] of integers or floats."""
    images = np.asarray(value)
    images = images[..., None] if images.ndim == 3 else images
    if images.ndim != 4 or 0 in images.shape:
        raise ValueError(
            f"{name} must have shape [n, height, width] or [n, height, width, channels], none of "
            f"them 0; got {np.shape(value)}. All images must have one size."
        )
    if images.shape[-1] not in (1, 3, 4):
        raise ValueError(
            f"{name} must have 1, 3 or 4 channels, in the last axis; got {images.shape[-1]} "
            f"(shape {images.shape}). Move the axis of channels to the end."
        )
    if images.dtype == bool or np.issubdtype(images.dtype, np.integer):
        return _bytes(name, images)
    if np.issubdtype(images.dtype, np.floating):
        return _floats(name, images)
    raise ValueError(f"{name} must hold integers or floats; got {images.dtype}.")


def checked_codes(name: str, codes: Int[np.ndarray, "_"], names: tuple[str, ...], n: int) -> None:
    """Raise unless there are n codes and each is a position in `names`."""
    if codes.shape != (n,):
        raise ValueError(f"{name} must have one entry per image, {n}; got shape {codes.shape}.")
    if len(set(names)) < len(names):
        raise ValueError(f"the names of {name} must differ; got {names}.")
    outside = codes[(codes < 0) | (codes >= len(names))]
    if len(outside):
        raise ValueError(
            f"{name} must lie in 0..{len(names) - 1}, because there are {len(names)} names; "
            f"got {outside[0]}."
        )


def check_domains(names: tuple[str, ...]) -> None:
    """Raise where there is no other domain to go to."""
    if len(names) < 2:
        raise ValueError(
            "domains must be at least 2, because a counterfactual leads from one to another; "
            f"got {list(names)}."
        )


def _bytes(name: str, images: np.ndarray) -> Images:
    low, high = int(images.min()), int(images.max())
    if low < 0 or high > 255:
        raise ValueError(
            f"{name} of integers must lie in 0..255; got {low}..{high}. "
            "Rescale them, or give floats in 0..1."
        )
    return images.astype(np.uint8, copy=False)


def _floats(name: str, images: np.ndarray) -> Images:
    if not np.isfinite(images).all():
        raise ValueError(f"{name} must be finite; got NaN or infinity. Drop such images.")
    low, high = float(images.min()), float(images.max())
    if low < 0 or high > 1:
        raise ValueError(
            f"{name} of floats must lie in 0..1; got {low:.4g}..{high:.4g}. Rescale them, "
            "or give integers in 0..255."
        )
    return images.astype(np.float32, copy=False)
