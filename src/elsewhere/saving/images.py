"""Codecs of image models: a few numbers that say how they are built, and their weights."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain

from elsewhere.bijections import Affine
from elsewhere.images.autoencoder import Architecture, Autoencoder
from elsewhere.images.batches import in_float32
from elsewhere.images.code_models import CodeModel, OwnMixings, SharedMixing
from elsewhere.images.image_ild import ImageILD
from elsewhere.mixing import RotatedCouplings
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.rules import Optional, fields, listed, nullable, number, one_of, truth, whole
from elsewhere.saving.weights import check_filled, filled, weight
from elsewhere.scm import TailSCM

Described = tuple[dict[str, Any], list[np.ndarray]]
LARGEST_PRODUCT = 1 << 24  # of height, width and m: half a gigabyte of weights
_KEY = 0  # of weights that are there to be replaced
_SIZE = whole(1, 4096)
_AUTOENCODER = fields(
    {
        "shape": listed(_SIZE, 3, 3),
        "m": _SIZE,
        "architecture": one_of(*get_args(Architecture)),
        "colours": Optional(whole(0, 4096)),
    }
)
_CODES = dict.fromkeys(("m", "k", "num_domains", "couplings", "width"), _SIZE)
_CODE_MODEL = fields(_CODES | {"shared": truth, "anchored": truth})
_SHARES = Optional(nullable(listed(listed(number(0.0, 1.0), 2, 4096), 2, 4096)))
_IMAGE_ILD = fields(
    {"autoencoder": _AUTOENCODER, "codes": _CODE_MODEL, "first": _SIZE, "detail": _SHARES}
)


def autoencoder_parts(model: Autoencoder) -> Described:
    """How it is built, and its weights."""
    built = {"shape": list(model.shape), "m": model.m, "architecture": model.architecture}
    return built | {"colours": model.colours}, _weights(model)


def check_autoencoder(built: Any, arrays: Sequence[np.ndarray]) -> None:
    """Raise unless these make an autoencoder."""
    _AUTOENCODER(built, "autoencoder")
    (h, w, _), m = built["shape"], built["m"]
    if h * w * m > LARGEST_PRODUCT:
        raise ValueError(
            f"height × width × m must be at most {LARGEST_PRODUCT}; got {h}, {w}, {m}."
        )
    check_filled(_blank_autoencoder, _autoencoder_sizes(built), arrays, weight)


def autoencoder_back(built: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> Autoencoder:
    """The autoencoder that `autoencoder_parts` was given."""
    return filled(_blank_autoencoder, _autoencoder_sizes(built), arrays, weight)


def _autoencoder_sizes(built: Mapping[str, Any]) -> tuple[Any, ...]:
    return *built["shape"], built["m"], built["architecture"], built.get("colours", 0)


def _blank_autoencoder(
    h: int, w: int, c: int, m: int, architecture: Architecture, colours: int
) -> Autoencoder:
    return Autoencoder(jax.random.key(_KEY), (h, w, c), m, architecture, colours)


def code_model_parts(model: CodeModel) -> Described:
    """How it is built, and its weights."""
    built = _own(model) if isinstance(model, OwnMixings) else _shared(model)
    if jax.tree.structure(blank_codes(built)) != jax.tree.structure(model):
        raise ValueError("a model of codes that `fit_codes` did not fit cannot be saved.")
    return built, _weights(model)


def check_code_model(built: Any, arrays: Sequence[np.ndarray]) -> None:
    """Raise unless these make a model of codes; the outline of one domain is that of each."""
    _CODE_MODEL(built, "codes")
    if built["shared"]:
        check_filled(_blank_codes, _code_sizes(built), arrays, weight)
        return
    each, rest = divmod(len(arrays), built["num_domains"])
    if rest or not each:
        raise ValueError(f"arrays must be alike for all {built['num_domains']} domains.")
    one = _code_sizes({**built, "num_domains": 1})
    for start in range(0, len(arrays), each):
        check_filled(_blank_codes, one, arrays[start : start + each], weight)


def code_model_back(built: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> CodeModel:
    """The model that `code_model_parts` was given."""
    return filled(_blank_codes, _code_sizes(built), arrays, weight)


def _code_sizes(built: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, built[name]) for name in (*_CODES, "shared", "anchored"))


def _blank_codes(*sizes: tuple[str, Any]) -> CodeModel:
    return blank_codes(dict(sizes))


def image_ild_parts(model: ImageILD) -> Described:
    """How both of its parts are built, and all weights, the autoencoder's first."""
    (autoencoder, first), (codes, second) = (
        autoencoder_parts(model.autoencoder),
        code_model_parts(model.codes),
    )
    detail = None if model.detail is None else model.detail.tolist()
    built = {"autoencoder": autoencoder, "codes": codes, "first": len(first), "detail": detail}
    return built, first + second


def check_image_ild(built: Any, arrays: Sequence[np.ndarray]) -> None:
    """Raise unless these make a model of images."""
    _IMAGE_ILD(built, "ImageILD")
    if built["autoencoder"]["m"] != built["codes"]["m"]:
        raise ValueError("codes must have the m of the autoencoder.")
    detail, count = built.get("detail"), built["codes"]["num_domains"]
    if detail is not None and {len(detail), *map(len, detail)} != {count}:
        raise ValueError(f"detail must have {count} rows of {count} shares, one per domain.")
    check_autoencoder(built["autoencoder"], arrays[: built["first"]])
    check_code_model(built["codes"], arrays[built["first"] :])


def image_ild_back(built: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> ImageILD:
    """The model that `image_ild_parts` was given."""
    cut, detail = built["first"], built.get("detail")
    return ImageILD(
        autoencoder_back(built["autoencoder"], arrays[:cut]),
        code_model_back(built["codes"], arrays[cut:]),
        None if detail is None else np.array(detail),
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


def _register(
    cls: type,
    parts: Callable[[Any], Described],
    back: Callable[..., Any],
    check: Callable[..., None],
) -> None:
    """A codec whose weights follow the numbers; the first format had all of a file's arrays."""

    def to_parts(model: Any, writer: Writer) -> dict[str, Any]:
        built, arrays = parts(model)
        return built | {"arrays": writer.keep(arrays)}

    def split(content: Any, reader: Reader) -> tuple[dict[str, Any], Any]:
        fields({})(content, cls.__name__)
        built = {name: value for name, value in content.items() if name != "arrays"}
        return built, content.get("arrays", list(range(len(reader.arrays))))

    def from_parts(content: Mapping[str, Any], reader: Reader) -> Any:
        built, places = split(content, reader)
        return back(built, reader.taken(places))

    def check_parts(content: Any, reader: Reader) -> None:
        built, places = split(content, reader)
        check(built, reader.taken_once(places))

    register_codec(cls, cls.__name__, to_parts, from_parts, check_parts)


_register(Autoencoder, autoencoder_parts, autoencoder_back, check_autoencoder)
_register(SharedMixing, code_model_parts, code_model_back, check_code_model)
_register(OwnMixings, code_model_parts, code_model_back, check_code_model)
_register(ImageILD, image_ild_parts, image_ild_back, check_image_ild)
