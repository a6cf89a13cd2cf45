"""Coupling flows as a few numbers that say how they are built, and their arrays; and back."""

from collections.abc import Mapping
from typing import Any

import flowjax.bijections as fb
import jax
import jax.numpy as jnp

from elsewhere.fitting.flow.start import with_matrices
from elsewhere.mixing import neural_spline, real_nvp
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.rules import Optional, fields, number, one_of, truth, whole
from elsewhere.saving.weights import any_array, check_filled, filled

NAME = "Couplings"
_FLOWS = {"real_nvp": real_nvp, "spline": neural_spline}
_SIZE = whole(1, 4096)
_SETTINGS = {
    "couplings": Optional(_SIZE),
    "width": Optional(_SIZE),
    "depth": Optional(whole(0, 16)),
    "knots": Optional(whole(1, 256)),
    "interval": Optional(number(1e-3, 1e6)),
}
_COUPLINGS = fields(
    {
        "flow": one_of(*_FLOWS),
        "m": _SIZE,
        "settings": fields(_SETTINGS, exact=True),
        "matrices": truth,
    }
)


def build(flow: str, m: int, matrices: bool, *settings: tuple[str, Any]) -> fb.AbstractBijection:
    """A flow with these settings; its arrays are there to be replaced."""
    made = _FLOWS[flow](jax.random.key(0), m, **dict(settings))
    return with_matrices(made, m) if matrices else made


def _sizes(content: Mapping[str, Any]) -> tuple[Any, ...]:
    settings = sorted(content["settings"].items())
    return content["flow"], content["m"], content["matrices"], *settings


def _to_parts(flow: Any, writer: Writer) -> dict[str, Any]:
    described = _described(flow)
    if jax.tree.structure(_arrays(build(*_sizes(described)))) != jax.tree.structure(_arrays(flow)):
        raise ValueError("couplings that elsewhere did not build cannot be saved.")
    return described | {"arrays": writer.keep(jax.tree.leaves(_arrays(flow)))}


def _check(content: Any, reader: Reader) -> int:
    _COUPLINGS(content, NAME)
    check_filled(build, _sizes(content), reader.taken_once(content.get("arrays")), any_array)
    return content["m"]


def _from_parts(content: Mapping[str, Any], reader: Reader) -> fb.AbstractBijection:
    return filled(build, _sizes(content), reader.taken(content["arrays"]), any_array)


def _arrays(flow: Any) -> list[Any]:
    return [leaf for leaf in jax.tree.leaves(flow) if any_array(leaf)]


def _described(flow: Any) -> dict[str, Any]:
    """Read off the flow itself, whatever the options of its fit have become since."""
    if isinstance(flow, fb.Affine):  # one column: nothing to condition on
        return {"flow": "real_nvp", "m": 1, "settings": {}, "matrices": False}
    if isinstance(flow, fb.Reshape):
        settings = _transformer(flow.bijection)[1]
        return {"flow": "spline", "m": 1, "settings": settings, "matrices": False}
    bends, between = flow.bijection.bijections
    network = bends.conditioner
    parameters = network.out_size // (bends.dim - bends.untransformed_dim)
    name, settings = _transformer(bends.transformer_constructor(jnp.zeros(parameters)))
    settings |= {
        "couplings": int(jax.tree.leaves(network)[0].shape[0]),
        "width": network.width_size,
        "depth": network.depth,
    }
    matrices = isinstance(between, fb.Invert)
    return {"flow": name, "m": flow.shape[0], "settings": settings, "matrices": matrices}


def _transformer(transformer: Any) -> tuple[str, dict[str, int | float]]:
    if not isinstance(transformer, fb.RationalQuadraticSpline):
        return "real_nvp", {}
    return "spline", {"knots": transformer.knots, "interval": float(transformer.interval[1])}


for _cls in (fb.Scan, fb.Affine, fb.Reshape):
    register_codec(_cls, NAME, _to_parts, _from_parts, _check)
