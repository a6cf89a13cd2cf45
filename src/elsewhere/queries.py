"""The question itself: abduct the noise, switch the domain, predict."""

from collections.abc import Hashable

import jax.numpy as jnp
from jaxtyping import Array, Float

from elsewhere.arrays import AnyArray
from elsewhere.model import ILD
from elsewhere.movers import Density, Mover


def abduct(model: ILD, x: Float[Array, " m"], *, d: Hashable) -> Float[Array, " m"]:
    """ε = f_d⁻¹(g⁻¹(x)): the noise that made x in domain d."""
    return model.scm(d).inverse(model.mixing.inverse(x))


def predict(model: ILD, eps: Float[Array, " m"], *, d_prime: Hashable) -> Float[Array, " m"]:
    """x = g(f_d'(ε)): what the noise makes in domain d'."""
    return model.mixing.transform(model.scm(d_prime).transform(eps))


def counterfactual(
    model: ILD, x: Float[Array, " m"], *, d: Hashable, d_prime: Hashable
) -> Float[Array, " m"]:
    """x_{d→d'} = g∘f_d'∘f_d⁻¹∘g⁻¹(x): what x, seen in d, would have been in d'.

    >>> import jax.numpy as jnp
    >>> from elsewhere import ILD, LinearSCM, linear
    >>> shift = LinearSCM(jnp.zeros((1, 1)), jnp.ones(1), jnp.ones(1))
    >>> model = ILD(linear(2.0 * jnp.eye(1)), [LinearSCM.identity(1), shift], ["home", "away"])
    >>> counterfactual(model, jnp.array([3.0]), d="home", d_prime="away").tolist()
    [5.0]
    """
    return predict(model, abduct(model, x, d=d), d_prime=d_prime)


def move_all(model: Mover, x: Float[AnyArray, "D n m"]) -> Float[Array, "D D n m"]:
    """x_{d→d'} of the rows x[d] of every domain d, for every d', in the order of model.domains."""
    domains = model.domains
    if not isinstance(model, Density):
        pairs = [(rows, d, e) for d, rows in zip(domains, x, strict=True) for e in domains]
        moved = [jnp.asarray(model.move(rows, d=d, d_prime=e)) for rows, d, e in pairs]
        return jnp.stack(moved).reshape(len(x), *x.shape)
    every = jnp.concatenate(
        [jnp.asarray(model.noise(r, d=d)) for d, r in zip(domains, x, strict=True)]
    )
    moved = jnp.stack([jnp.asarray(model.made(every, d=d)) for d in domains])
    return jnp.swapaxes(moved.reshape(len(x), *x.shape), 0, 1)


def log_prob_rows(model: ILD, x: Float[Array, "n m"], *, d: Hashable) -> Float[Array, " n"]:
    """log p_d(x) of many rows, compiled once for every shape."""
    return model.log_density(x, d=d)
