"""Images seen in two domains, from a folder."""

from itertools import combinations
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from elsewhere.datasets.pictures.files import ImageFileError, read_images
from elsewhere.datasets.pictures.folders import files_by_domain

Images = UInt8[np.ndarray, "n h w c"]


def read_image_pairs(folder: str, size: int | None) -> list[tuple[str, str, Images, Images]]:
    """(d, d', images in d, the same things in d') for every two domains that share file names.

    Args:
        folder: one sub-folder per domain; files of the same relative name show the same thing.
        size: make every image size × size.
    """
    files = {
        d: {path.relative_to(Path(folder) / d).as_posix(): path for path in paths}
        for d, paths in files_by_domain(folder).items()
    }
    found = [
        (d, e, *(read_images([files[end][name] for name in both], size) for end in (d, e)))
        for d, e in combinations(files, 2)
        if (both := [name for name in files[d] if name in files[e]])
    ]
    if not found:
        raise ImageFileError(
            f"{folder} must have files of the same name in the folders of two domains; none are."
        )
    return found  # type: ignore[return-value]
