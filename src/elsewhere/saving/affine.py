"""Codecs of what is affine: a matrix that can be inverted, or linear mechanisms."""

from collections.abc import Mapping

import jax.numpy as jnp

from elsewhere.bijections import Affine
from elsewhere.saving.codec import register_codec
from elsewhere.saving.leaky_linear import AFFINE, CHECKS, LINEAR
from elsewhere.saving.shapes import Axes
from elsewhere.scm import LinearSCM


def _register(cls: type, rules: Mapping[str, Axes]) -> None:
    """A class that its arrays alone make."""
    register_codec(
        cls,
        cls.__name__,
        lambda value, writer: writer.keep([getattr(value, name) for name in rules]),
        lambda places, reader: cls(*(jnp.asarray(a) for a in reader.taken(places))),
        CHECKS[cls.__name__],
    )


_register(Affine, AFFINE)
_register(LinearSCM, LINEAR)
