"""3D Shapes as published (`3dshapes.h5`): every scene exists in every shape, so the truth too."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int, PRNGKeyArray, UInt8

from elsewhere.datasets.pictures.arrays import split
from elsewhere.datasets.pictures.files import resized
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits
from elsewhere.datasets.pictures.scenes.room import SHAPES
from elsewhere.datasets.pictures.shapes3d import FACTORS
from elsewhere.draws import generator

_COLUMNS = ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation")


def load_shapes(
    key: PRNGKeyArray,
    path: str | os.PathLike[str],
    *,
    per_domain: int | None = None,
    scale: int = 7,
    size: int | None = None,
) -> ImageSplits:
    """The images of one scale, split 8 : 1 : 1; a domain is a shape, the class the object's hue.

    Needs h5py, which the extra `shapes` installs.

    Args:
        key: which images are used, and the split.
        path: the file `3dshapes.h5`.
        per_domain: images of each shape; all by default.
        scale: which of the scales, from 0, the smallest.
        size: make the images size × size; None keeps them as they are.
    """
    rng, codes = generator(key), _codes(Path(path))
    if not 0 <= scale <= codes[:, 3].max():
        raise ValueError(f"scale must be in 0..{codes[:, 3].max()}; got {scale}.")
    table = _row_of_scene(codes, scale)  # [scene, shape] → row of the file
    kept = [rng.permutation(len(table))[:per_domain] for _ in SHAPES]
    scenes, shapes = np.concatenate(kept), np.repeat(np.arange(len(SHAPES)), [*map(len, kept)])
    rows = table[scenes, shapes]
    data = ImageData(
        _read(Path(path), rows, size),
        shapes,
        SHAPES,
        codes[rows, 2],
        tuple(f"hue {i}" for i in range(codes[:, 2].max() + 1)),
        {name: codes[rows, _COLUMNS.index(name)] for name in FACTORS},
        lambda some, target: _read(Path(path), table[scenes[some], target], size),
    )
    return split(rng, data)


def _codes(path: Path) -> Int[np.ndarray, "n 6"]:
    """The factors of each image, counted from 0."""
    with _opened(path) as file:
        labels = file["labels"][:]
    if labels.ndim != 2 or labels.shape[1] != len(_COLUMNS):
        raise ValueError(
            f"{path} must have `labels` [n, 6], the columns {_COLUMNS}; got {labels.shape}."
        )
    return np.stack([np.unique(c, return_inverse=True)[1] for c in labels.T], axis=1)


def _row_of_scene(codes: Int[np.ndarray, "n 6"], scale: int) -> Int[np.ndarray, "scenes shapes"]:
    """Which row of the file shows each scene at this scale in each shape."""
    rows = np.flatnonzero(codes[:, 3] == scale)
    order = np.lexsort(codes[rows][:, [5, 2, 1, 0, 4]].T)  # by shape, then by scene
    if len(rows) % len(SHAPES) or len(np.unique(codes[rows], axis=0)) < len(rows):
        raise ValueError("3D Shapes must show every scene once in each of 4 shapes; it does not.")
    return rows[order].reshape(len(SHAPES), -1).T


def _read(
    path: Path, rows: Int[np.ndarray, " r"], size: int | None
) -> UInt8[np.ndarray, "r h w 3"]:
    with _opened(path) as file:
        images = file["images"]
        return np.stack([resized(images[int(row)], size) for row in rows])


def _opened(path: Path) -> Any:
    try:
        import h5py
    except ImportError:
        raise ImportError(
            "3D Shapes needs h5py, an optional part: pip install 'elsewhere[shapes]'."
        ) from None
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise ValueError(f"{path} must be the file 3dshapes.h5; got {error}.") from None
