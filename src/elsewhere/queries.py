"""The question itself: abduct the noise, switch the domain, predict."""

from collections.abc import Hashable

import jax.numpy as jnp
from jax.scipy.stats import norm
from jaxtyping import Array, Float

from elsewhere.bijections import pull, pull_and_log_det, push
from elsewhere.model import ILD


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


def move_rows(
    model: ILD, x: Float[Array, "n m"], *, d: Hashable, d_prime: Hashable
) -> Float[Array, "n m"]:
    """x_{d→d'} of many rows, compiled once for every structure and shape."""
    eps = pull(model.scm(d), pull(model.mixing, x))
    return push(model.mixing, push(model.scm(d_prime), eps))


def move_all(model: ILD, x: Float[Array, "D n m"]) -> Float[Array, "D D n m"]:
    """x_{d→d'} of the rows x[d] of every domain d, for every d', in the order of model.domains."""
    eps = [pull(f, pull(model.mixing, rows)) for f, rows in zip(model.scms, x, strict=True)]
    every = jnp.concatenate(eps)
    moved = jnp.stack([push(model.mixing, push(f, every)) for f in model.scms])
    return jnp.swapaxes(moved.reshape(len(x), *x.shape), 0, 1)


def log_prob_rows(model: ILD, x: Float[Array, "n m"], *, d: Hashable) -> Float[Array, " n"]:
    """log p_d(x) = log N(ε; 0, I) + log|det ∂ε/∂x| of many rows, compiled once for every shape."""
    z, log_det_g = pull_and_log_det(model.mixing, x)
    eps, log_det_f = pull_and_log_det(model.scm(d), z)
    return norm.logpdf(eps).sum(axis=-1) + log_det_g + log_det_f
