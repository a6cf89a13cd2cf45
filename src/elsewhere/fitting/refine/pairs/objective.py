"""log p(rows) + log p(pairs): the joint likelihood of every free parameter of a model."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from elsewhere.fitting.profile.axes.profile import WeightedRows, latents, negative_share
from elsewhere.fitting.profile.kink import Kink

PRIOR_PAIRS = 2.0  # how many pairs the prior of their noise is worth


class PairedParameters(NamedTuple):
    """[W | β] and, for every domain, L, log s and c; a shared row is the mean of its copies."""

    axes: Float[Array, "m m+1"]
    weights: Float[Array, "D m m"]
    log_scales: Float[Array, "D m"]
    biases: Float[Array, "D m"]


class Tying(NamedTuple):
    """1 where all domains share row j: its weights and bias, and its noise scale."""

    row: Float[Array, " m"]
    scale: Float[Array, " m"]


class PackedPairs(NamedTuple):
    """Whitened rows seen in two domains, which are one-hot: gathers differentiate slowly.

    `colour` turns differences of whitened rows into differences of columns.
    """

    source: Float[Array, "p D"]
    target: Float[Array, "p D"]
    y_source: Float[Array, "p m"]
    y_target: Float[Array, "p m"]
    colour: Float[Array, "m m"]


class Evidence(NamedTuple):
    """Which pairs count, how small their noise is thought to be, and how many rows there are."""

    weights: Float[Array, " p"]
    noise: Float[Array, ""]
    num_rows: Float[Array, ""]


def tied(params: PairedParameters, tying: Tying) -> PairedParameters:
    """The parameters with shared rows equal, and weights strictly lower triangular."""

    def share(values: Array, mask: Array) -> Array:
        return values + mask * (values.mean(axis=0) - values)

    weights = jnp.tril(share(params.weights, tying.row[:, None]), -1)
    log_scales = share(params.log_scales, tying.scale)
    return PairedParameters(params.axes, weights, log_scales, share(params.biases, tying.row))


def joint(
    params: PairedParameters,
    tying: Tying,
    rows: WeightedRows,
    pairs: PackedPairs,
    evidence: Evidence,
    kink: Kink,
    width: Float[Array, ""] | None,
) -> Float[Array, ""]:
    """mean log p_d(x) + (1/n) Σ_pairs log N(x'; x_{d→d'}(x), diag σ²), σ² at its best.

    Constants are left out. σ² has an inverse-gamma prior worth PRIOR_PAIRS pairs, so that a few
    pairs cannot be believed without end. With `width` the kinks are smoothed as in `profile`.
    """
    whole = tied(params, tying)
    errors = evidence.weights[:, None] * pair_errors(whole, pairs, kink) ** 2
    count = evidence.weights.sum() + PRIOR_PAIRS
    variance = (errors.sum(axis=0) + PRIOR_PAIRS * evidence.noise**2) / count
    per_row = -0.5 * count * jnp.log(variance).sum() / evidence.num_rows
    return row_likelihood(whole, rows, kink, width) + per_row


def row_likelihood(
    params: PairedParameters, rows: WeightedRows, kink: Kink, width: Float[Array, ""] | None
) -> Float[Array, ""]:
    """mean over domains of mean log p_d(x), without (m/2) log 2π."""
    u, z = latents(params.axes, rows.values, kink)
    eps = _noise(params, z)
    squares = jnp.einsum("din,dn->", eps**2, rows.weights) / len(z)
    kinks = kink.log_ratio * negative_share(u, rows.weights, kink, width)
    scales = params.log_scales.sum() / len(z)
    return jnp.linalg.slogdet(params.axes[:, :-1])[1] + kinks - scales - 0.5 * squares


def pair_errors(params: PairedParameters, pairs: PackedPairs, kink: Kink) -> Float[Array, "p m"]:
    """x_{d→d'}(x) − x', column by column, in within-domain deviations."""
    z = latents(params.axes, pairs.y_source.T[None], kink)[1][0].T
    moved = _moved(params, z, pairs.source, pairs.target)
    u = moved - kink.stretch / (1 + kink.stretch) * jnp.minimum(moved, 0.0)
    unmix = pairs.colour @ jnp.linalg.inv(params.axes[:, :-1])
    return (u - params.axes[:, -1]) @ unmix.T - pairs.y_target @ pairs.colour.T


def _noise(params: PairedParameters, z: Float[Array, "D m n"]) -> Float[Array, "D m n"]:
    explained = jnp.einsum("dij,djn->din", params.weights, z) + params.biases[:, :, None]
    return (z - explained) * jnp.exp(-params.log_scales)[:, :, None]


def _moved(
    params: PairedParameters, z: Float[Array, "p m"], d: Float[Array, "p D"], e: Float[Array, "p D"]
) -> Float[Array, "p m"]:
    """f_e ∘ f_d⁻¹ (z), row by row."""
    explained = jnp.einsum("pd,dij,pj->pi", d, params.weights, z) + d @ params.biases
    ratio = jnp.exp((e - d) @ params.log_scales)
    source = ratio * (z - explained) + e @ params.biases
    return jnp.einsum("pd,dij,pj->pi", e, total_effects(params.weights), source)


def total_effects(weights: Float[Array, "D m m"]) -> Float[Array, "D m m"]:
    """(I − L)⁻¹ = (I + L)(I + L²)(I + L⁴)…, for L is strictly lower triangular."""
    m = weights.shape[-1]
    identity = jnp.eye(m, dtype=weights.dtype)
    total, power = identity + weights, weights
    for _ in range(max(m - 1, 1).bit_length() - 1):
        power = power @ power
        total = total @ (identity + power)
    return total
