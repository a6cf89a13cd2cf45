"""Where a flow starts: as a leaky-linear model, its couplings not bending yet."""

from functools import cache
from typing import Literal, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain, Invert
from jaxtyping import Float, PRNGKeyArray

from elsewhere.bijections import Affine, LeakyReLU, push
from elsewhere.fitting.axes.climb import SHARED
from elsewhere.fitting.gradient.mixing import (
    MixingMaker,
    SmoothedLeakyReLU,
    arrays_like,
    near_identity,
    template,
)
from elsewhere.fitting.gradient.model import Parameters, Sharing
from elsewhere.fitting.read_back import kinds_of_mechanisms, linear_mechanisms
from elsewhere.mixing import neural_spline, real_nvp
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM

Flow = Literal["real_nvp", "spline"]


@cache
def flow_maker(flow: Flow, couplings: int, width: int, slope: float) -> MixingMaker:
    """(key, m) ↦ x = B c_n∘…∘c_1(A LeakyReLU(z)): couplings that only permute, undone by B."""
    make = {"real_nvp": real_nvp, "spline": neural_spline}[flow]

    def maker(key: PRNGKeyArray, m: int) -> AbstractBijection:
        between = near_identity(make(key, m, couplings=couplings, width=width), 0.0)
        first, last = Invert(Affine(jnp.eye(m))), Invert(Affine(_permutation(between, m)))
        return Chain([SmoothedLeakyReLU((m,), slope=slope), first, between, last])

    return maker


def _permutation(couplings: AbstractBijection, m: int) -> Float[np.ndarray, "m m"]:
    """P with c(u) = P u, for couplings that only permute."""
    return np.rint(np.asarray(push(couplings, jnp.eye(m)))).T


def flow_start(maker: MixingMaker, outer: Chain, model: ILD) -> Parameters:
    """The outer part as it is; before it, the matrix and the mechanisms of a leaky-linear model."""
    rectifier, affine = cast("tuple[LeakyReLU, Affine]", cast(Chain, model.mixing).bijections)
    smoothed = SmoothedLeakyReLU(rectifier.shape, slope=rectifier.slope)
    W = np.linalg.inv(np.asarray(affine.matrix, float))
    offset = -W @ np.asarray(affine.offset, float)
    first = Invert(Affine(jnp.asarray(W, float), jnp.asarray(offset, float)))
    mixing = arrays_like(template(maker, model.m), Chain([smoothed, first, *outer.bijections]))
    logs = [_with_log_scale(cast(LinearSCM, f)) for f in model.scms]
    return Parameters(mixing, logs[0], jax.tree.map(lambda *a: jnp.stack(a), *logs))


def _with_log_scale(f: LinearSCM) -> LinearSCM:
    return eqx.tree_at(lambda f: f.scale, f, jnp.log(f.scale))


def outer_part(g: AbstractBijection) -> Chain:
    """The couplings and the last matrix: what flattens x."""
    return Chain(cast(Chain, g).bijections[2:])


def sharing_of(model: ILD, k: int | None) -> Sharing:
    """The mechanisms that differ between the model's domains; all for Dense."""
    mechanisms = linear_mechanisms(model)
    own = np.ones(model.m, bool)
    if k is not None and mechanisms is not None:
        own = kinds_of_mechanisms(mechanisms) != SHARED
    return Sharing(jnp.asarray(np.tile(own, (model.num_domains, 1))), jnp.asarray(True))
