"""The question itself: abduct the noise, switch the domain, predict."""

from collections.abc import Hashable

from jaxtyping import Array, Float

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
