"""Coupling flows as mixings: RealNVP and neural splines."""

import flowjax.bijections as fb
import jax.numpy as jnp
from flowjax.distributions import StandardNormal
from flowjax.flows import coupling_flow
from jaxtyping import PRNGKeyArray


def real_nvp(
    key: PRNGKeyArray, m: int, *, couplings: int = 4, width: int = 50, depth: int = 1
) -> fb.AbstractBijection:
    """g = c_n ∘ … ∘ c_1 with c_i affine couplings: one half scales and shifts the other."""
    return _coupling_mixing(key, m, None, couplings, width, depth)


def neural_spline(
    key: PRNGKeyArray,
    m: int,
    *,
    couplings: int = 4,
    width: int = 50,
    depth: int = 1,
    knots: int = 8,
    interval: float = 4.0,
) -> fb.AbstractBijection:
    """g = c_n ∘ … ∘ c_1 with c_i rational-quadratic spline couplings on [−interval, interval]."""
    spline = fb.RationalQuadraticSpline(knots=knots, interval=interval)
    return _coupling_mixing(key, m, spline, couplings, width, depth)


def _coupling_mixing(
    key: PRNGKeyArray,
    m: int,
    transformer: fb.AbstractBijection | None,
    couplings: int,
    width: int,
    depth: int,
) -> fb.AbstractBijection:
    if m < 1 or couplings < 1:
        raise ValueError(f"m and couplings must be at least 1; got m={m}, couplings={couplings}.")
    if m == 1:  # nothing to condition on: the coupling's transformer alone
        return fb.Reshape(transformer, (1,)) if transformer else fb.Affine(jnp.zeros(1))
    return coupling_flow(
        key,
        base_dist=StandardNormal((m,)),
        transformer=transformer,
        flow_layers=couplings,
        nn_width=width,
        nn_depth=depth,
        invert=False,
    ).bijection
