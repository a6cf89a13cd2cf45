"""Codecs of image models: a few numbers that say how they are built, and their weights."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain

from elsewhere.bijections import Affine
from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.batches import in_float32
from elsewhere.images.code_models import CodeModel, OwnMixings, SharedMixing
from elsewhere.images.image_ild import ImageILD
from elsewhere.mixing import RotatedCouplings
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.weights import filled, weight
from elsewhere.scm import TailSCM

Described = tuple[dict[str, Any], list[np.ndarray]]
LARGEST_SIZE = 4096  # of anything that a file says
LARGEST_PRODUCT = 1 << 24  # of height, width and m: half a gigabyte of weights
_YES_OR_NO = ("shared", "anchored")
_KEY = 0  # of weights that are there to be replaced


def autoencoder_parts(model: Autoencoder) -> Described:
    """How it is built, and its weights."""
    built = {"shape": list(model.shape), "m": model.m, "architecture": model.architecture}
    return built | {"colours": model.colours}, _weights(model)


def autoencoder_back(built: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> Autoencoder:
    """The autoencoder that `autoencoder_parts` was given."""
    h, w, c = (_size(side) for side in built["shape"])
    m, architecture, colours = _size(built["m"]), built["architecture"], built.get("colours", 0)
    if h * w * m > LARGEST_PRODUCT:
        raise ValueError(
            f"height × width × m must be at most {LARGEST_PRODUCT}; got {h}, {w}, {m}."
        )
    sizes = (h, w, c), m, architecture, colours if colours == 0 else _size(colours)
    return filled(lambda: Autoencoder(jax.random.key(_KEY), *sizes), arrays, weight)


def code_model_parts(model: CodeModel) -> Described:
    """How it is built, and its weights."""
    built = _own(model) if isinstance(model, OwnMixings) else _shared(model)
    if jax.tree.structure(blank_codes(built)) != jax.tree.structure(model):
        raise ValueError("a model of codes that `fit_codes` did not fit cannot be saved.")
    return built, _weights(model)


def code_model_back(built: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> CodeModel:
    """The model that `code_model_parts` was given."""
    sizes = {name: _size(value) for name, value in built.items() if name not in _YES_OR_NO}
    sizes |= {name: bool(built[name]) for name in _YES_OR_NO}
    return filled(lambda: blank_codes(sizes), arrays, weight)


def image_ild_parts(model: ImageILD) -> Described:
    """How both of its parts are built, and all weights, the autoencoder's first."""
    (autoencoder, first), (codes, second) = (
        autoencoder_parts(model.autoencoder),
        code_model_parts(model.codes),
    )
    return {"autoencoder": autoencoder, "codes": codes, "first": len(first)}, first + second


def image_ild_back(built: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> ImageILD:
    """The model that `image_ild_parts` was given."""
    cut = _size(built["first"])
    return ImageILD(
        autoencoder_back(built["autoencoder"], arrays[:cut]),
        code_model_back(built["codes"], arrays[cut:]),
    )


def blank_codes(parts: Mapping[str, Any]) -> CodeModel:
    """A model of codes of these sizes, built as `fit_codes` builds it; not fitted."""
    m, k, num_domains = parts["m"], parts["k"], parts["num_domains"]
    couplings, width = parts["couplings"], parts["width"]
    key = jax.random.key(_KEY)

    def mixing() -> AbstractBijection:
        flow = RotatedCouplings(key, m, couplings=couplings, width=width)
        return Chain([flow, Affine(jnp.eye(m), jnp.zeros(m))])

    if parts["shared"]:
        scm = TailSCM(key, m, k, num_domains, width, anchored=parts["anchored"])
        return in_float32(SharedMixing(mixing(), scm))
    own = [Chain([TailSCM(key, m, k, 1, width), mixing()]) for _ in range(num_domains)]
    return in_float32(OwnMixings(tuple(own)))


def _shared(model: SharedMixing) -> dict[str, Any]:
    num_domains, k = model.scm.lower.shape[:2]
    sizes = _flow(model.mixing) | {"k": k, "num_domains": num_domains}
    return sizes | {"shared": True, "anchored": model.scm.anchored}


def _own(model: OwnMixings) -> dict[str, Any]:
    scm, mixing = model.mixings[0].bijections  # type: ignore[attr-defined]
    k, count = scm.lower.shape[1], len(model.mixings)
    return _flow(mixing) | {"k": k, "num_domains": count, "shared": False, "anchored": False}


def _flow(mixing: Any) -> dict[str, int]:
    """The sizes of a chain of couplings and the way back from whitened codes."""
    couplings: RotatedCouplings = mixing.bijections[0]
    count, m = couplings.rotations.shape[:2]
    return {"m": m, "couplings": count, "width": couplings.networks.width_size}


def _weights(model: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(model) if weight(leaf)]


def _size(value: Any) -> int:
    if not isinstance(value, int) or not 1 <= value <= LARGEST_SIZE:
        raise ValueError(f"a size must be a whole number in 1..{LARGEST_SIZE}; got {value!r}.")
    return value


def _register(cls: type, parts: Callable[[Any], Described], back: Callable[..., Any]) -> None:
    """A codec whose weights follow the numbers; the first format had all of a file's arrays."""

    def to_parts(model: Any, writer: Writer) -> dict[str, Any]:
        built, arrays = parts(model)
        return built | {"arrays": writer.keep(arrays)}

    def from_parts(content: Mapping[str, Any], reader: Reader) -> Any:
        built = {name: value for name, value in content.items() if name != "arrays"}
        places = content.get("arrays")
        return back(built, reader.arrays if places is None else reader.taken(places))

    register_codec(cls, cls.__name__, to_parts, from_parts)


_register(Autoencoder, autoencoder_parts, autoencoder_back)
_register(SharedMixing, code_model_parts, code_model_back)
_register(OwnMixings, code_model_parts, code_model_back)
_register(ImageILD, image_ild_parts, image_ild_back)
