"""Mixings by name, one template of each for every compiled function to share."""

from collections.abc import Callable
from functools import cache, partial
from typing import Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection, Chain, Invert, Scan
from jaxtyping import Array, Float, PRNGKeyArray, PyTree

from elsewhere.bijections import Affine, LeakyReLU
from elsewhere.mixing import neural_spline, real_nvp

MixingName = Literal["linear", "leaky_linear", "real_nvp", "spline"]
MixingMaker = Callable[[PRNGKeyArray, int], AbstractBijection]


def mixing_maker(mixing: MixingMaker | str, **settings: int | float) -> MixingMaker:
    """(key, m) ↦ g by name, with the settings of its constructor; a callable is returned as is."""
    if callable(mixing):
        return mixing
    if mixing not in get_args(MixingName):
        raise ValueError(
            f"mixing must be one of {get_args(MixingName)} or a function (key, m) -> bijection; "
            f"got {mixing!r}."
        )
    return _named(mixing, tuple(sorted(settings.items())))


def random_rotation(key: PRNGKeyArray, m: int) -> Float[Array, "m m"]:
    """Q uniform on the orthogonal matrices."""
    Q, R = jnp.linalg.qr(jax.random.normal(key, (m, m)))
    return Q * jnp.sign(jnp.diag(R))


def template(maker: MixingMaker, m: int) -> AbstractBijection:
    """One g of this kind and size; always the same object, closures and all, within a process."""
    return _template(maker, m, jnp.zeros(()).dtype.name)


def arrays_like(base: AbstractBijection, other: AbstractBijection) -> PyTree[Array]:
    """The arrays of `other` in the structure of `base`: new values, old closures."""
    leaves, structure = jax.tree.flatten(eqx.filter(base, eqx.is_array))
    new = jax.tree.leaves(eqx.filter(other, eqx.is_array))
    if [a.shape for a in leaves] != [a.shape for a in new]:
        raise ValueError(
            "mixing must build arrays of the same shapes for every key; got "
            f"{[a.shape for a in leaves]} and {[a.shape for a in new]}."
        )
    return jax.tree.unflatten(structure, new)


@cache
def _named(name: str, settings: tuple[tuple[str, int | float], ...]) -> MixingMaker:
    kinds = {
        "linear": _linear,
        "leaky_linear": _leaky,
        "real_nvp": partial(_rotated_flow, real_nvp),
        "spline": partial(_rotated_flow, neural_spline),
    }
    return partial(kinds[name], **dict(settings))


@cache
def _template(maker: MixingMaker, m: int, _dtype: str) -> AbstractBijection:
    g = maker(jax.random.key(0, impl="unsafe_rbg"), m)  # its values are never used
    if g.shape != (m,):
        raise ValueError(f"mixing must build a bijection of shape ({m},); got {g.shape}.")
    return g


def _unmixing(key: PRNGKeyArray, m: int) -> Invert:
    """z ↦ W⁻¹ z from a random rotation; W is the parameter, so the likelihood inverts nothing."""
    return Invert(Affine(random_rotation(key, m)))


def _linear(key: PRNGKeyArray, m: int) -> AbstractBijection:
    return _unmixing(key, m)


def _leaky(key: PRNGKeyArray, m: int, slope: float = 0.5) -> AbstractBijection:
    return Chain([LeakyReLU((m,), slope=slope), _unmixing(key, m)])


def _rotated_flow(
    flow: Callable[..., AbstractBijection],
    key: PRNGKeyArray,
    m: int,
    *,
    spread: float = 0.1,
    slope: float = 1.0,
    **settings: int,
) -> AbstractBijection:
    """x = Q c_n ∘ … ∘ c_1(z): couplings near the identity, then a matrix, at first a rotation.

    A slope other than 1 puts a leaky rectifier before the couplings.
    """
    key_flow, key_matrix = jax.random.split(key)
    couplings = flow(key_flow, m, **settings)
    if isinstance(couplings, Scan):  # shrink each network's last layer: its output is near 0
        last = lambda c: c.bijection.bijections[0].conditioner.layers[-1]  # noqa: E731
        small = jax.tree.map(lambda a: spread * a, eqx.filter(last(couplings), eqx.is_array))
        couplings = eqx.tree_at(last, couplings, eqx.combine(small, last(couplings)))
    first = [] if slope == 1 else [LeakyReLU((m,), slope=slope)]
    return Chain([*first, couplings, _unmixing(key_matrix, m)])
