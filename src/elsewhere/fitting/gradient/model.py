"""What the gradient moves: one mixing, one shared SCM and one SCM for each domain."""

from functools import cache
from typing import Literal, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jax.scipy.stats import norm
from jaxtyping import Array, Bool, Float, PRNGKeyArray, PyTree

from elsewhere.fitting.gradient.mixing import MixingMaker, arrays_like, template
from elsewhere.scm import AutoregressiveSCM, LinearSCM, Pattern, specific_rows, tie

ScmName = Literal["linear", "autoregressive"]
Statics = tuple[PyTree, PyTree]


class Parameters(NamedTuple):
    """Arrays only. `specific` leads with the domain; a linear SCM's `scale` holds its logarithm."""

    mixing: PyTree
    shared: PyTree
    specific: PyTree


class Sharing(NamedTuple):
    """rows[d, j]: whether f_d's mechanism j is its own; `learn_shared`: whether the rest moves."""

    rows: Bool[Array, "D m"]
    learn_shared: Bool[Array, ""]


def sharing(m: int, num_domains: int, k: int | None, pattern: Pattern) -> Sharing:
    """The rows of a pattern; under "identity" the first domain is the identity throughout."""
    rows = np.tile(specific_rows(m, m if k is None else k, pattern), (num_domains, 1))
    if pattern == "identity":
        rows[0] = False
    return Sharing(jnp.asarray(rows), jnp.asarray(pattern != "identity"))


def initial(
    key: PRNGKeyArray, maker: MixingMaker, scm: ScmName, m: int, num_domains: int, spread: float
) -> Parameters:
    """A random mixing of the kind; SCMs near the identity, `spread` away from it."""
    key_mixing, key_scm = jax.random.split(key)
    mixing = arrays_like(template(maker, m), maker(key_mixing, m))
    near = jax.vmap(lambda k: near_identity(k, scm, m, spread))
    return Parameters(
        mixing, near_identity(key_scm, scm, m, 0.0), near(jax.random.split(key_scm, num_domains))
    )


def statics(maker: MixingMaker, scm: ScmName, m: int) -> Statics:
    """All but the arrays, the same objects on every call so that compiled functions are reused."""
    return eqx.partition(template(maker, m), eqx.is_array)[1], scm_static(scm, m)


def assemble(
    params: Parameters, fixed: Statics, share: Sharing
) -> tuple[AbstractBijection, AbstractBijection]:
    """(g, f) with f's arrays stacked over domains: f_d is shared, save its own rows."""
    return eqx.combine(params.mixing, fixed[0]), stacked_scms(params, fixed[1], share)


def stacked_scms(params: Parameters, static: PyTree, share: Sharing) -> AbstractBijection:
    """f, every array led by the domain."""
    shared = jax.tree.map(
        lambda a: jnp.where(share.learn_shared, a, jax.lax.stop_gradient(a)), params.shared
    )
    tied = jax.vmap(tie, (None, 0, 0))(_positive(shared), _positive(params.specific), share.rows)
    return eqx.combine(tied, static)


def log_probs(
    params: Parameters, fixed: Statics, share: Sharing, x: Float[Array, "m D n"]
) -> Float[Array, "D n"]:
    """log p_d(x_di) for every row of every domain: one pass through g, then each f_d on its own.

    Rows are the innermost axis: on a CPU that is 1.7 times as fast as rows of m numbers.
    """
    g, f = assemble(params, fixed, share)
    z, log_det_g = pull_columns(g, x.reshape(len(x), -1))
    pull = eqx.filter_vmap(pull_columns, in_axes=(eqx.if_array(0), 1), out_axes=(1, 0))
    eps, log_det_f = pull(f, z.reshape(x.shape))
    return norm.logpdf(eps).sum(0) + log_det_g.reshape(x.shape[1:]) + log_det_f


def mean_log_prob(
    params: Parameters,
    given: tuple[Statics, Sharing],
    x: Float[Array, "m D n"],
    _step: Array | None = None,
) -> Float[Array, ""]:
    """(1/D) Σ_d mean log p_d: what the gradient climbs and what a restart is judged by."""
    return log_probs(params, *given, x).mean()


def pull_columns(
    bijection: AbstractBijection, y: Float[Array, "m n"]
) -> tuple[Float[Array, "m n"], Float[Array, " n"]]:
    """(b⁻¹(y), log|det ∂b⁻¹/∂y|) of every column."""
    return jax.vmap(bijection.inverse_and_log_det, in_axes=1, out_axes=(1, 0))(y)


def near_identity(key: PRNGKeyArray, scm: ScmName, m: int, spread: float) -> PyTree:
    """The arrays of an SCM that far from the identity; a linear one's `scale` as a logarithm."""
    if scm == "autoregressive":
        return eqx.filter(AutoregressiveSCM(key, m, spread=spread), eqx.is_array)
    keys = jax.random.split(key, 3)
    noise = [
        spread * jax.random.normal(k, s) for k, s in zip(keys, ((m, m), (m,), (m,)), strict=True)
    ]
    return eqx.tree_at(lambda f: (f.weights, f.scale, f.bias), LinearSCM.identity(m), noise)


def _positive(scm: PyTree) -> PyTree:
    if not isinstance(scm, LinearSCM):
        return scm
    return eqx.tree_at(lambda f: f.scale, scm, jnp.exp(scm.scale))


@cache
def scm_static(scm: ScmName, m: int) -> PyTree:
    """All of an SCM but its arrays, always the same object."""
    key = jax.random.key(0, impl="unsafe_rbg")
    full = LinearSCM.identity(m) if scm == "linear" else AutoregressiveSCM(key, m)
    return eqx.partition(full, eqx.is_array)[1]
