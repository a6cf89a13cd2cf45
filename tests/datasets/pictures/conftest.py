"""Tiny IDX files in the layout of MNIST, and tiny image files."""

import gzip

import numpy as np
import pytest
from PIL import Image
from tests.datasets.pictures.idx_files import idx_bytes

from elsewhere.datasets.pictures.mnist import FILES


@pytest.fixture(scope="session")
def digits():
    """(train images, train labels, test images, test labels) of 12 × 12 smooth blobs."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[-1:1:12j, -1:1:12j]

    def blobs(n):
        cx, cy = rng.uniform(-0.4, 0.4, (2, n, 1, 1))
        return np.rint(255 * np.exp(-8 * ((x - cx) ** 2 + (y - cy) ** 2))).astype(np.uint8)

    return blobs(120), np.arange(120) % 10, blobs(40), np.arange(40) % 10


@pytest.fixture(scope="session")
def mnist_folder(digits, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mnist")
    for name, array in zip(FILES, digits, strict=True):
        (folder / f"{name}.gz").write_bytes(gzip.compress(idx_bytes(array), mtime=0))
    return folder


@pytest.fixture
def picture_folder(tmp_path):
    """Two domains of three 8 × 6 images each."""
    rng = np.random.default_rng(0)
    for domain in ("day", "night"):
        (tmp_path / domain).mkdir()
        for i in range(3):
            pixels = rng.integers(0, 256, (8, 6, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / domain / f"{i}.png")
    return tmp_path
