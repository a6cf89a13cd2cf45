"""Coupling flows as a few numbers that say how they are built, and their arrays; and back."""

from collections.abc import Mapping
from typing import Any

import flowjax.bijections as fb
import jax
import jax.numpy as jnp

from elsewhere.fitting.flow.start import with_matrices
from elsewhere.mixing import neural_spline, real_nvp
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.weights import any_array, filled

NAME = "Couplings"
LARGEST_SETTING = 4096  # of a flow: its width, depth, couplings, knots and interval
_FLOWS = {"real_nvp": real_nvp, "spline": neural_spline}


def build(content: Mapping[str, Any]) -> fb.AbstractBijection:
    """A flow with these settings; its arrays are there to be replaced."""
    settings = dict(content["settings"])
    if any(not 0 < value <= LARGEST_SETTING for value in settings.values()):
        raise ValueError(f"settings must lie in 0..{LARGEST_SETTING}; got {settings}.")
    m = int(content["m"])
    flow = _FLOWS[content["flow"]](jax.random.key(0), m, **settings)
    return with_matrices(flow, m) if content["matrices"] else flow


def _to_parts(flow: Any, writer: Writer) -> dict[str, Any]:
    described = _described(flow)
    if jax.tree.structure(_arrays(build(described))) != jax.tree.structure(_arrays(flow)):
        raise ValueError("couplings that elsewhere did not build cannot be saved.")
    return described | {"arrays": writer.keep(jax.tree.leaves(_arrays(flow)))}


def _from_parts(content: Mapping[str, Any], reader: Reader) -> fb.AbstractBijection:
    return filled(lambda: build(content), reader.taken(content["arrays"]), any_array)


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
    register_codec(_cls, NAME, _to_parts, _from_parts)
