"""MNIST and Fashion-MNIST as published: 60,000 and 10,000 images of 28 × 28, ten classes."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Int, UInt8

from elsewhere.datasets.pictures.download import DownloadError, data_folder, fetch
from elsewhere.datasets.pictures.idx import IdxError, find_idx, read_idx

FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)


@dataclass(frozen=True)
class DigitSource:
    """Where a data set's four gzipped files are, and the SHA-256 of each."""

    mirrors: tuple[str, ...]
    sha256: tuple[str, str, str, str]
    class_names: tuple[str, ...]


SOURCES = {
    "mnist": DigitSource(
        (
            "https://ossci-datasets.s3.amazonaws.com/mnist/",
            "https://storage.googleapis.com/cvdf-datasets/mnist/",
        ),
        (
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
        tuple("0123456789"),
    ),
    "fashion-mnist": DigitSource(
        (
            "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
            "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
        ),
        (
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
        (
            "t-shirt",
            "trousers",
            "pullover",
            "dress",
            "coat",
            "sandal",
            "shirt",
            "sneaker",
            "bag",
            "ankle boot",
        ),
    ),
}


@dataclass(frozen=True)
class LabelledDigits:
    """Images with a label each."""

    images: UInt8[np.ndarray, "n h w"]
    labels: Int[np.ndarray, " n"]

    def take(self, rows: Int[np.ndarray, " r"]) -> "LabelledDigits":
        """These rows only."""
        return LabelledDigits(self.images[rows], self.labels[rows])


def load_mnist(
    name: str = "mnist",
    directory: str | os.PathLike[str] | None = None,
    *,
    download: bool = True,
) -> tuple[LabelledDigits, LabelledDigits]:
    """(training images, test images) of "mnist" or "fashion-mnist".

    The four IDX files, gzipped or plain, are looked for in `directory`, else in
    $ELSEWHERE_DATA/name, else in a cache folder; what is missing is downloaded there, and kept
    only if its SHA-256 is right.
    """
    if name not in SOURCES:
        raise ValueError(f"name must be one of {list(SOURCES)}; got {name!r}.")
    folder = data_folder(name, directory)
    paths = [_path(name, i, folder, download) for i in range(4)]
    return _labelled(*paths[:2]), _labelled(*paths[2:])


def _path(name: str, i: int, folder: Path, download: bool) -> Path:
    if path := find_idx(folder, FILES[i]):
        return path
    if not download:
        raise DownloadError(
            f"{folder} must hold {FILES[i]} or {FILES[i]}.gz; it does not. Put it there, or allow "
            "the download."
        )
    return fetch(f"{FILES[i]}.gz", folder, SOURCES[name].mirrors, SOURCES[name].sha256[i])


def _labelled(images: Path, labels: Path) -> LabelledDigits:
    x, y = read_idx(images), read_idx(labels)
    if x.ndim != 3 or x.shape[1] != x.shape[2] or y.shape != x.shape[:1]:
        raise IdxError(
            f"{images} must hold square images [n, h, h], and {labels} a label each; "
            f"got shapes {x.shape} and {y.shape}."
        )
    return LabelledDigits(x, y.astype(int))
