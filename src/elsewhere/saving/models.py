"""Models as a tree of named parts with their arrays apart, and back; only known parts are read."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain, Identity, Invert

from elsewhere.bijections import Affine, LeakyReLU
from elsewhere.fitting.gradient.mixing import arrays_like
from elsewhere.mixing import neural_spline, real_nvp
from elsewhere.model import ILD
from elsewhere.saving.weights import any_array, filled
from elsewhere.scm import AutoregressiveSCM, LinearSCM

FLOWS = {"real_nvp": real_nvp, "spline": neural_spline}
LARGEST_SETTING = 4096  # of a flow: its width, depth, couplings, knots and interval
_FIELDS: dict[type, tuple[str, ...]] = {
    Affine: ("matrix", "offset"),
    LinearSCM: ("weights", "scale", "bias"),
    AutoregressiveSCM: ("inner", "inner_bias", "outer", "outer_bias"),
}


@dataclass(frozen=True)
class Flow:
    """How to build the couplings of a mixing: a name and the constructor's settings."""

    name: str
    settings: Mapping[str, int | float] = field(default_factory=dict)

    def build(self, m: int) -> AbstractBijection:
        """One such flow; its arrays are there to be replaced."""
        if any(not 0 < value <= LARGEST_SETTING for value in self.settings.values()):
            raise ValueError(f"settings must lie in 0..{LARGEST_SETTING}; got {self.settings}.")
        return FLOWS[self.name](jax.random.key(0), m, **self.settings)  # type: ignore[arg-type]


def to_parts(model: ILD, arrays: list[np.ndarray], flow: Flow | None) -> dict[str, Any]:
    """The model as JSON; its arrays are appended to `arrays` and referred to by their place."""
    return {
        "mixing": _encode(model.mixing, arrays, flow),
        "scms": [_encode(scm, arrays, flow) for scm in model.scms],
    }


def from_parts(
    parts: Mapping[str, Any],
    arrays: Sequence[np.ndarray],
    flow: Flow | None,
    domains: Sequence[Hashable],
) -> ILD:
    """The model that `to_parts` was given."""
    mixing = _decode(parts["mixing"], arrays, flow)
    return ILD(mixing, [_decode(part, arrays, flow) for part in parts["scms"]], domains)


def _encode(part: AbstractBijection, arrays: list[np.ndarray], flow: Flow | None) -> dict[str, Any]:
    if isinstance(part, Chain):
        return {"Chain": [_encode(b, arrays, flow) for b in part.bijections]}  # type: ignore[arg-type]
    if isinstance(part, Invert):
        return {"Invert": _encode(part.bijection, arrays, flow)}  # type: ignore[arg-type]
    if isinstance(part, Identity):
        return {"Identity": part.shape[0]}
    if isinstance(part, LeakyReLU):
        return {"LeakyReLU": [part.shape[0], part.slope]}
    if type(part) in _FIELDS:
        leaves = [getattr(part, name) for name in _FIELDS[type(part)]]
        return {type(part).__name__: _keep(leaves, arrays)}
    if flow is None:
        raise ValueError(f"a model with a {type(part).__name__} cannot be saved.")
    built = flow.build(part.shape[0])
    return {"Flow": [part.shape[0], _keep(jax.tree.leaves(arrays_like(built, part)), arrays)]}


def _decode(
    part: Mapping[str, Any], arrays: Sequence[np.ndarray], flow: Flow | None
) -> AbstractBijection:
    ((kind, content),) = part.items()
    if kind == "Chain":
        return Chain([_decode(b, arrays, flow) for b in content])
    if kind == "Invert":
        return Invert(_decode(content, arrays, flow))
    if kind == "Identity":
        return Identity((int(content),))
    if kind == "LeakyReLU":
        return LeakyReLU((int(content[0]),), slope=float(content[1]))
    if kind == "Flow" and flow is not None:
        return filled(
            lambda: flow.build(int(content[0])), [arrays[i] for i in content[1]], any_array
        )
    leaves = [arrays[i] for i in content]
    if kind == "AutoregressiveSCM":
        m, hidden = leaves[1].shape
        return filled(lambda: AutoregressiveSCM(jax.random.key(0), m, hidden), leaves, any_array)
    return {"Affine": Affine, "LinearSCM": LinearSCM}[kind](*(jnp.asarray(a) for a in leaves))


def _keep(leaves: Sequence[jax.Array], arrays: list[np.ndarray]) -> list[int]:
    first = len(arrays)
    arrays.extend(np.asarray(leaf) for leaf in leaves)
    return list(range(first, len(arrays)))
