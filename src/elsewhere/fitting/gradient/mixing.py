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
from elsewhere.fitting.profile.kink import kink_of
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


class SmoothedLeakyReLU(LeakyReLU):
    """LeakyReLU to fit with: its inverse's log-determinant shows a gradient where a kink lies.

    A sigmoid of that width stands in for 1[y < 0], as in `elsewhere.fitting.profile.kink`; y
    should have a scale of about 1. Values are those of LeakyReLU. `exactly` gives that back.
    """

    width: float = eqx.field(static=True, default=0.05)

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """(LeakyReLU⁻¹(y), Σ_j σ(shift − y_j/width) log(1/slope))."""
        kink = kink_of(self.slope)
        below = jax.nn.sigmoid(kink.shift - y / self.width)
        return super().inverse_and_log_det(y)[0], (kink.log_ratio * below).sum()


def exactly(g: AbstractBijection) -> AbstractBijection:
    """g with every smoothed rectifier of its chain exact again."""
    if not isinstance(g, Chain):
        return g
    parts = [
        LeakyReLU(b.shape, slope=b.slope) if isinstance(b, SmoothedLeakyReLU) else b for b in g
    ]
    return Chain(parts)


def near_identity(couplings: AbstractBijection, spread: float) -> AbstractBijection:
    """Every network's last layer shrunk so much: with 0 the couplings only permute."""
    if not isinstance(couplings, Scan):
        return couplings
    last = lambda c: c.bijection.bijections[0].conditioner.layers[-1]  # noqa: E731
    small = jax.tree.map(lambda a: spread * a, eqx.filter(last(couplings), eqx.is_array))
    return eqx.tree_at(last, couplings, eqx.combine(small, last(couplings)))


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
    return Chain([SmoothedLeakyReLU((m,), slope=slope), _unmixing(key, m)])


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
    couplings = near_identity(flow(key_flow, m, **settings), spread)
    first = [] if slope == 1 else [SmoothedLeakyReLU((m,), slope=slope)]
    return Chain([*first, couplings, _unmixing(key_matrix, m)])
