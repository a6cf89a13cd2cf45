"""Codec of mechanisms that add up curves of their parents."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.leaky_linear import check_effects, check_scale
from elsewhere.saving.shapes import Axes, check_arrays
from elsewhere.scm import AdditiveSCM
from elsewhere.scm.additive import CURVES, STEEPNESS

_ADDITIVE = {"weights": Axes("m m q"), "scale": Axes("m"), "bias": Axes("m")}
_STEEPEST = np.r_[1.0, np.full(CURVES - 1, STEEPNESS)]


def _parts(value: AdditiveSCM, writer: Writer) -> list[int]:
    return writer.keep([value.weights, value.scale, value.bias])


def _back(places: Sequence[int], reader: Reader) -> AdditiveSCM:
    return AdditiveSCM(*(jnp.asarray(a) for a in reader.taken(places)))


def _check(places: Any, reader: Reader) -> int:
    arrays = reader.taken_once(places)
    m = check_arrays(arrays, _ADDITIVE, {"q": CURVES})["m"]
    check_scale(arrays[1])
    check_effects(np.abs(arrays[0]) @ _STEEPEST)
    return m


register_codec(AdditiveSCM, "AdditiveSCM", _parts, _back, _check)
