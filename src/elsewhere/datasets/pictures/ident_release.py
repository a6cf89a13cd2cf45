"""Causal3DIdent as published: `images_0` … `images_6`, and a table of latents for each."""

import os
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray

from elsewhere.datasets.pictures.arrays import split
from elsewhere.datasets.pictures.causal3dident import DOMAINS
from elsewhere.datasets.pictures.files import ImageFileError, image_paths, read_images
from elsewhere.datasets.pictures.ident_mechanisms import HALF, HUE_RANGES
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits
from elsewhere.datasets.pictures.scenes.stage import KINDS
from elsewhere.draws import generator

LATENTS = (
    "position_x",
    "position_y",
    "position_z",
    "rotation_phi",
    "rotation_theta",
    "rotation_psi",
    "spotlight",
    "object_hue",
    "spotlight_hue",
    "background_hue",
)


def load_ident(
    key: PRNGKeyArray,
    folder: str | os.PathLike[str],
    *,
    per_domain: int | None = None,
    size: int | None = 64,
) -> ImageSplits:
    """The images whose background hue is below −0.8 or above 0.8, split 8 : 1 : 1.

    The class is the object. Images between the two ranges belong to no domain and are not read.

    Args:
        key: which images are used, and the split.
        folder: holds `images_0` … and `raw_latents_0.npy` …, or `latents_0.npy` … in their place.
        per_domain: images of each domain, at most; all by default.
        size: make the images size × size; None keeps them as they are.
    """
    rng, root = generator(key), Path(folder)
    parts = [_class_files(root, kind) for kind in range(len(KINDS))]
    paths = [path for files, _ in parts for path in files]
    latents = in_radians(np.concatenate([table for _, table in parts]))
    classes = np.repeat(np.arange(len(KINDS)), [len(files) for files, _ in parts])
    domains = domain_of_hue(latents[:, -1])
    kept = [rng.permutation(np.flatnonzero(domains == d))[:per_domain] for d in range(len(DOMAINS))]
    rows = np.concatenate(kept)
    data = ImageData(
        read_images([paths[row] for row in rows], size),
        domains[rows],
        DOMAINS,
        classes[rows],
        KINDS,
        dict(zip(LATENTS, latents[rows].T, strict=True)),
    )
    return split(rng, data)


def domain_of_hue(hue: Float[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """The range in which each background hue lies, or −1 between them."""
    inside = [(low <= hue) & (hue <= high) for low, high in HUE_RANGES]
    return np.select(inside, range(len(HUE_RANGES)), -1)


def in_radians(latents: Float[np.ndarray, "n 10"]) -> Float[np.ndarray, "n 10"]:
    """Latents with hues in [−π/2, π/2]: the raw ones in [−1, 1] are stretched."""
    hues = latents[:, 7:]
    stretch = HALF if np.abs(hues).max() <= 1 + 1e-6 else 1.0
    return np.concatenate([latents[:, :7], hues * stretch], axis=1)


def _class_files(root: Path, kind: int) -> tuple[list[Path], Float[np.ndarray, "n 10"]]:
    images = root / f"images_{kind}"
    tables = [root / f"{name}_{kind}.npy" for name in ("raw_latents", "latents")]
    table = next((path for path in tables if path.is_file()), None)
    if table is None or not images.is_dir():
        raise ImageFileError(
            f"{root} must hold {images.name}/ and {tables[0].name}, as the release of "
            "Causal3DIdent does (its folder `trainset` or `testset`); one is missing."
        )
    latents, files = np.load(table, allow_pickle=False), image_paths(images)
    if latents.shape != (len(files), len(LATENTS)):
        raise ImageFileError(
            f"{table} must have shape [{len(files)}, {len(LATENTS)}], for {images} holds "
            f"{len(files)} images; got {latents.shape}."
        )
    return files, latents.astype(float)
