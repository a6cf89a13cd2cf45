"""Classifiers of images: what they answer, and how they are kept and read back."""

import json
import os
from pathlib import Path
from typing import Any, Literal, get_args

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, Shaped

from elsewhere.files import whole_file
from elsewhere.images.batches import floats, in_batches, in_float32
from elsewhere.images.networks import ResNet18, SmallNetwork

NetworkName = Literal["small", "resnet18"]
_NETWORKS = {"small": SmallNetwork, "resnet18": ResNet18}
_FORMAT = 1


class Classifier(eqx.Module):
    """argmax_y of a network's scores for images [n, h, w, c]: uint8, or floats in 0..1.

    Weights are float32, whatever JAX's default, so that a saved classifier is the same anywhere.
    """

    network: SmallNetwork | ResNet18
    name: NetworkName = eqx.field(static=True)
    shape: tuple[int, int, int] = eqx.field(static=True)
    num_classes: int = eqx.field(static=True)

    def __init__(
        self,
        key: PRNGKeyArray,
        name: NetworkName,
        shape: tuple[int, int, int],
        num_classes: int,
    ):
        if name not in get_args(NetworkName):
            raise ValueError(f"network must be one of {get_args(NetworkName)}; got {name!r}.")
        if num_classes < 2 or min(shape[:2]) < 8:
            raise ValueError(
                "a classifier needs at least 2 classes and 8 × 8 pixels; "
                f"got {num_classes} classes and shape {shape}."
            )
        self.network = in_float32(_NETWORKS[name](key, shape, num_classes))
        self.name, self.shape, self.num_classes = name, shape, num_classes

    def log_probs(self, images: Float[Array, "n h w c"]) -> Float[Array, "n classes"]:
        """log p(y | x) of every class; to be traced."""
        return jax.nn.log_softmax(self.network(images))

    def predict(self, images: Shaped[np.ndarray, "n h w c"]) -> Int[np.ndarray, " n"]:
        """The likeliest class of each image."""
        if images.shape[1:] != self.shape:
            raise ValueError(
                f"images must have shape [n, {', '.join(map(str, self.shape))}], as in training; "
                f"got {images.shape}."
            )
        return in_batches(_scores, self.network, images).argmax(axis=1)

    def accuracy(
        self, images: Shaped[np.ndarray, "n h w c"], labels: Int[np.ndarray, " n"]
    ) -> float:
        """The share of images whose likeliest class is their label."""
        return float((self.predict(images) == labels).mean())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one file: a line of JSON, then the weights."""
        target, header = Path(path), {"format": _FORMAT, **self._header()}
        with whole_file(target) as part, part.open("wb") as file:
            file.write(json.dumps(header).encode() + b"\n")
            eqx.tree_serialise_leaves(file, self.network)
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Classifier":
        """Read a file that `save` wrote; it answers as the saved one did."""
        with Path(path).open("rb") as file:
            header = _read_header(Path(path), file.readline())
            shape = tuple(int(side) for side in header["shape"])
            empty = cls(jax.random.key(0), header["name"], shape, header["num_classes"])  # type: ignore[arg-type]
            weights = _weights(Path(path), file, empty.network)
        return eqx.tree_at(lambda c: c.network, empty, weights)

    def _header(self) -> dict[str, Any]:
        return {"name": self.name, "shape": self.shape, "num_classes": self.num_classes}


def _scores(network: SmallNetwork | ResNet18, images: Array) -> Array:
    return network(floats(images))


def _read_header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
        version = header["format"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path} must be a saved classifier; it does not begin like one."
        ) from None
    if version != _FORMAT:
        raise ValueError(
            f"{path} must have format {_FORMAT}; got {version}. Use the version that wrote it."
        )
    return header


def _weights(path: Path, file: Any, like: Any) -> Any:
    try:
        weights = eqx.tree_deserialise_leaves(file, like)
    except Exception as error:  # NumPy and Equinox raise many kinds on a broken file
        raise ValueError(f"{path} must hold all weights; got {error}. Save it again.") from None
    return weights
