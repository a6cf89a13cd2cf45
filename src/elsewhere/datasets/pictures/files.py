"""Image files as arrays of bytes, through Pillow, which is loaded only here and on use."""

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

SUFFIXES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
# All that is read: others, as EPS, would have Pillow start a program.
_FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
# What Pillow's modes become; those left out have more than 8 bits per channel.
_MODES = {
    "1": "L",
    "L": "L",
    "P": "RGB",
    "RGB": "RGB",
    "CMYK": "RGB",
    "YCbCr": "RGB",
} | dict.fromkeys(("RGBA", "LA", "PA", "La", "RGBa"), "RGBA")


class ImageFileError(ValueError):
    """A file that is not the image it should be; the message names it."""


def image_paths(folder: Path) -> list[Path]:
    """The image files in a folder, by name; hidden ones and other kinds are left out."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.suffix.lower() in SUFFIXES and not path.name.startswith(".")
    )


def read_images(paths: Iterable[Path], size: int | None = None) -> UInt8[np.ndarray, "n h w c"]:
    """All in one array; the first decides height, width and channels, which the others share."""
    images = _alike(paths, size)
    return np.stack([image for _, image in images])


def read_image(path: Path, size: int | None = None) -> UInt8[np.ndarray, "h w c"]:
    """One image in 1, 3 or 4 channels, upright as its camera meant it; size × size if asked."""
    from PIL import Image

    image = _opened(path)
    image = image.convert(_MODES[image.mode])
    if size is not None:
        image = image.resize((size, size), Image.Resampling.BOX)
    pixels = np.asarray(image)
    return pixels[..., None] if pixels.ndim == 2 else pixels


def resized(image: UInt8[np.ndarray, "h w c"], size: int | None) -> UInt8[np.ndarray, "_ _ c"]:
    """An image of 3 or 4 channels as size × size, each pixel the mean of what it covers."""
    from PIL import Image

    if size is None or image.shape[:2] == (size, size):
        return image
    return np.asarray(Image.fromarray(image).resize((size, size), Image.Resampling.BOX))


def _opened(path: Path) -> Any:
    from PIL import Image, ImageOps

    if path.exists() and not path.is_file():
        raise ImageFileError(f"{path} must be a file; it is a folder, a device or a pipe.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of remarks beside the image that Pillow cannot read
            warnings.simplefilter("error", Image.DecompressionBombWarning)  # `open` is what warns
            with Image.open(path, formats=_FORMATS) as file:
                if getattr(file, "is_animated", False):
                    raise ImageFileError(
                        f"{path} must hold a single image; got several frames. Save one of them."
                    )
                _check_depth(file, path)
                return ImageOps.exif_transpose(file).copy()
    except ImageFileError:
        raise
    except Exception as error:  # Pillow raises many kinds on a broken file
        raise ImageFileError(f"{path} must be a whole image file; got {error}.") from None


def _check_depth(file: Any, path: Path) -> None:
    """Raise where a channel has more than 8 bits, of which Pillow drops some in colours."""
    stored = [str(tile[3]) for tile in file.tile if ";16" in str(tile[3])]
    if file.mode not in _MODES or stored:
        got = ", ".join([repr(file.mode), *stored[:1]])
        raise ImageFileError(
            f"{path} must have 8 bits per channel, 0..255; got mode {got}. Convert it."
        )


def _alike(paths: Iterable[Path], size: int | None) -> Iterator[tuple[Path, np.ndarray]]:
    first: tuple[Path, np.ndarray] | None = None
    for path in paths:
        image = read_image(path, size)
        first = first or (path, image)
        _check_alike(*first, path, image)
        yield path, image


def _check_alike(model: Path, wanted: np.ndarray, path: Path, image: np.ndarray) -> None:
    if image.shape[:2] != wanted.shape[:2]:
        raise ImageFileError(
            f"{path} must have the size of {model}, {wanted.shape[0]} × {wanted.shape[1]}; "
            f"got {image.shape[0]} × {image.shape[1]}. Give `size` to make all images alike."
        )
    if image.shape[2] != wanted.shape[2]:
        raise ImageFileError(
            f"{path} must have as many channels as {model}, {wanted.shape[2]}; "
            f"got {image.shape[2]}. Convert all to grey or all to colour."
        )
