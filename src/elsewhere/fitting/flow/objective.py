"""The likelihood as a function of a flow and of the latent axes behind it, mechanisms projected out."""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from elsewhere.fitting.axes.kink import Kink
from elsewhere.fitting.axes.profile import Rows, latents, negative_share, profile
from elsewhere.fitting.gradient.model import pull_columns

WIDTH = 0.05  # of the sigmoid that stands in for a kink, in standard deviations within a domain
LOG_2PI_E = float(np.log(2 * np.pi * np.e))
Cube = Float[Array, "m D n"]


class Bent(NamedTuple):
    """What the gradient moves: the arrays of the outer flow y ↦ x, and the axes u = W y + β."""

    outer: PyTree
    axes: Float[Array, "m m+1"]


class Given(NamedTuple):
    """What it does not: all but the arrays, which mechanisms are shared (one-hot), the kink."""

    static: PyTree
    kinds: Float[Array, "3 m"]
    kink: Kink


def flow_profile(params: Bent, given: Given, x: Cube, _step: Array) -> Float[Array, ""]:
    """max over mechanisms of mean log p_d(x): the profile in the flow's coordinates + log|det|."""
    y, log_det = flattened(params, given, x)
    value = profile(params.axes, y, given.kinds, given.kink, jnp.asarray(WIDTH))
    return value + log_det - 0.5 * len(x) * LOG_2PI_E


def held_out(params: Bent, given: Given, valid: tuple[Cube, Cube]) -> Float[Array, ""]:
    """mean log p_d of the second rows, the mechanisms being the best for the first."""
    (fitted, _), (y, log_det) = (flattened(params, given, x) for x in valid)
    whiten, centre = _mechanisms(latents(params.axes, fitted.values, given.kink)[1], given.kinds)
    u, z = latents(params.axes, y.values, given.kink)
    eps = jnp.einsum("dij,djn->din", whiten, z - centre[..., None])
    scales = jnp.log(jnp.diagonal(whiten, axis1=1, axis2=2)).sum(1).mean()
    kinks = given.kink.log_ratio * negative_share(u, y.weights, given.kink, None)
    determinants = jnp.linalg.slogdet(params.axes[:, :-1])[1] + kinks + log_det + scales
    squares = (eps**2).sum(1).mean()
    return determinants - 0.5 * (squares + len(centre[0]) * np.log(2 * np.pi))
