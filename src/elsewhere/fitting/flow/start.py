"""Where a flow starts: couplings that do not bend yet, before the axes of a leaky-linear model."""

from functools import cache
from typing import Literal, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain, Invert, Scan
from jaxtyping import Float, Int, PRNGKeyArray

from elsewhere.bijections import Affine, as_affine, push
from elsewhere.fitting.gradient.mixing import MixingMaker, near_identity
from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.mechanisms import kinds_of_mechanisms
from elsewhere.fitting.read_back import linear_mechanisms
from elsewhere.mixing import neural_spline, real_nvp
from elsewhere.model import ILD

FlowName = Literal["real_nvp", "spline"]


@cache
def flow_maker(flow: FlowName, couplings: int, width: int) -> MixingMaker:
    """(key, m) ↦ x = B c_n B_n … c_1(y): couplings that do not bend yet between matrices.

    The matrices start as RealNVP's permutations and are learnt, for four couplings between
    permutations drawn once bend some columns badly. B undoes them all.
    """
    make = {"real_nvp": real_nvp, "spline": neural_spline}[flow]

    def maker(key: PRNGKeyArray, m: int) -> AbstractBijection:
        bends = near_identity(make(key, m, couplings=couplings, width=width), 0.0)
        between = with_matrices(bends, m)
        return Chain([between, Invert(Affine(_matrix(between, m)))])

    return maker


def with_matrices(couplings: AbstractBijection, m: int) -> AbstractBijection:
    """The couplings with a matrix in place of each permutation; one column has neither."""
    if not isinstance(couplings, Scan):
        return couplings
    bends, permute = cast(Chain, couplings.bijection).bijections
    count = len(jax.tree.leaves(eqx.filter(bends, eqx.is_array))[0])  # two columns only swap

    def matrix(p: AbstractBijection) -> AbstractBijection:
        return Invert(Affine(jax.vmap(p.transform)(jnp.eye(m))))

    learnt = eqx.filter_vmap(matrix, axis_size=count)(permute)
    return Scan(Chain([bends, learnt]))


def _matrix(couplings: AbstractBijection, m: int) -> Float[np.ndarray, "m m"]:
    """P with c(u) = P u, for couplings that do not bend."""
    return np.rint(np.asarray(push(couplings, jnp.eye(m)))).T


def axes_of(model: ILD) -> Float[np.ndarray, "m m+1"]:
    """[W | β] with LeakyReLU(z) = W y + β, of y = A LeakyReLU(z) + b or y = A z + b."""
    mixing = model.mixing
    last = mixing.bijections[-1] if isinstance(mixing, Chain) else mixing
    parts = as_affine(last)  # type: ignore[arg-type]
    if parts is None:
        raise TypeError(f"expected a leaky-linear or a linear mixing; got {mixing}.")
    W = np.linalg.inv(parts[0])
    return np.column_stack([W, -W @ parts[1]])


def kinds_of(model: ILD, k: int | None) -> Int[np.ndarray, " m"]:
    """Which of the model's mechanisms are shared; none for Dense.

    One noise scale for all domains is not asked of the others: that would favour one of their
    orders while the flow still bends.
    """
    mechanisms = linear_mechanisms(model)
    if k is None or mechanisms is None:
        return np.full(model.m, OWN)
    return np.where(kinds_of_mechanisms(mechanisms) == SHARED, SHARED, OWN)
