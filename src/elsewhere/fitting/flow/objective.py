"""The likelihood as a function of a flow and of the axes behind it, mechanisms projected out."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.stats import norm
from jaxtyping import Array, Float, PyTree

from elsewhere.fitting.gradient.model import pull_columns
from elsewhere.fitting.profile.axes.profile import (
    WeightedRows,
    latents,
    moments,
    negative_share,
    profile,
)
from elsewhere.fitting.profile.kink import Kink

WIDTH = 0.05  # of the sigmoid that stands in for a kink, in standard deviations within a domain
Cube = Float[Array, "m D n"]
Valid = tuple[Float[Array, "m D _"], Float[Array, "m D _"]]  # rows fitted, rows held out


class Bent(NamedTuple):
    """What the gradient moves: the arrays of the outer flow y ↦ x, and the axes u = W y + β."""

    outer: PyTree
    axes: Float[Array, "m m+1"]


class FlowConstants(NamedTuple):
    """What it does not: all but the arrays, which mechanisms are shared (one-hot), the kink."""

    static: PyTree
    kinds: Float[Array, "3 m"]
    kink: Kink


def flow_profile(params: Bent, given: FlowConstants, x: Cube, _step: Array) -> Float[Array, ""]:
    """max over mechanisms of mean log p_d(x): the profile in the flow's coordinates + log|det|."""
    y, log_det = _flattened(params, given, x)
    value = profile(params.axes, y, given.kinds, given.kink, jnp.asarray(WIDTH))
    return value + log_det - 0.5 * len(x) * np.log(2 * np.pi * np.e)


def held_out(params: Bent, given: FlowConstants, valid: Valid) -> Float[Array, ""]:
    """mean log p_d of the second rows, exact, the mechanisms being the best for the first."""
    (fitted, _), (y, log_det) = (_flattened(params, given, x) for x in valid)
    whiten, offset = _abduction(latents(params.axes, fitted.values, given.kink)[1], given.kinds)
    u, z = latents(params.axes, y.values, given.kink)
    eps = jnp.einsum("dij,djn->din", whiten, z) - offset[..., None]
    scales = jnp.log(jnp.diagonal(whiten, axis1=1, axis2=2)).sum(1).mean()
    kinks = given.kink.log_ratio * negative_share(u, y.weights, given.kink, None)
    log_dets = jnp.linalg.slogdet(params.axes[:, :-1])[1] + kinks + log_det + scales
    return norm.logpdf(eps).sum(1).mean() + log_dets


def _flattened(
    params: Bent, given: FlowConstants, x: Cube
) -> tuple[WeightedRows, Float[Array, ""]]:
    """(y of every row of every domain, mean log|det ∂y/∂x|)."""
    outer = eqx.combine(params.outer, given.static)
    y, log_det = pull_columns(outer, x.reshape(len(x), -1))
    return _rows(y.reshape(x.shape)), log_det.mean()


def _rows(y: Cube) -> WeightedRows:
    values = y.transpose(1, 0, 2)
    return WeightedRows(values, jnp.full((values.shape[0], values.shape[2]), 1 / values.shape[2]))


def _abduction(
    z: Float[Array, "D m n"], kinds: Float[Array, "3 m"]
) -> tuple[Float[Array, "D m m"], Float[Array, "D m"]]:
    """(R, r) with ε = R z − r for the best mechanisms of these kinds."""
    means, covariances = moments(z, jnp.full((z.shape[0], z.shape[2]), 1 / z.shape[2]))
    inverses = jax.vmap(jnp.linalg.inv)(jnp.linalg.cholesky(covariances))
    pooled, own = jnp.broadcast_to(inverses[0], inverses[1:].shape), inverses[1:]
    scales = 1 / jnp.diagonal(own, axis1=1, axis2=2)
    one_scale = own * (scales / jnp.sqrt((scales**2).mean(0)))[..., None]
    whiten = jnp.einsum("kj,kdji->dji", kinds, jnp.stack([pooled, own, one_scale]))
    centres = kinds[0][:, None] * means.mean(0) + (1 - kinds[0])[:, None] * means[:, None]
    return whiten, (whiten * centres).sum(-1)
