"""A folder of images: one sub-folder per domain, and in it images, or one sub-folder per class."""

import os
from pathlib import Path

import numpy as np

from elsewhere.datasets.pictures.checks import check_domains
from elsewhere.datasets.pictures.files import ImageFileError, image_paths, read_images
from elsewhere.datasets.pictures.image_data import ImageData


def load_folder(folder: str | os.PathLike[str], *, size: int | None = None) -> ImageData:
    """The images of `folder`/domain/*.png, or of `folder`/domain/class/*.png; any usual suffix.

    Domains and classes are sorted by name.

    Args:
        folder: holds one sub-folder per domain, at least two.
        size: make every image size × size; else all must have one size already.
    """
    domains = _sub_folders(Path(folder))
    names = tuple(domain.name for domain in domains)
    check_domains(names)
    files = [(path, d, kind) for d, domain in enumerate(domains) for path, kind in _files(domain)]
    paths, codes, kinds = zip(*files, strict=True)
    images = read_images(paths, size)
    if not any(kinds):
        return ImageData(images, np.array(codes), names)
    class_names, classes = np.unique(kinds, return_inverse=True)
    return ImageData(images, np.array(codes), names, classes, tuple(class_names.tolist()))


def files_by_domain(folder: str | os.PathLike[str]) -> dict[str, list[Path]]:
    """The image files of every sub-folder of `folder`, in classes or not; one domain will do."""
    domains = _sub_folders(Path(folder))
    return {domain.name: [path for path, _ in _files(domain)] for domain in domains}


def _sub_folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise ImageFileError(f"{folder} is not a directory.")
    return sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))


def _files(domain: Path) -> list[tuple[Path, str]]:
    """Every image of a domain with its class, "" where there are no classes."""
    kinds, loose = _sub_folders(domain), image_paths(domain)
    if kinds and loose:
        raise ImageFileError(
            f"{domain} must hold images or one folder per class, not both; got {loose[0].name} "
            f"beside {kinds[0].name}/."
        )
    found = [(path, kind.name) for kind in kinds for path in image_paths(kind)]
    found = found or [(path, "") for path in loose]
    if not found:
        raise ImageFileError(f"{domain} must hold images of its domain; got none.")
    return found
