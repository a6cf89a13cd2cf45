"""The paper's image model: z = g⁺(x), ε from f⁺_d(z), and back by x̂ = g(f_d(ε)).

All f are linear and autoregressive, and only their last k rows depend on d.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, Shaped

from elsewhere.datasets.pictures.image_data import as_floats
from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.batches import floats, in_batches, in_float32

_UNIT = 10.0  # f moves ten times as fast as g: Adam's steps do not see the scale of gradients
Images = Float[np.ndarray, "n h w c"]


class Triangular(eqx.Module):
    """y = T_d x + b_d, T_d lower triangular; rows before the last k are those of domain 0."""

    weights: Float[Array, "D m m"]
    biases: Float[Array, "D m"]
    k: int = eqx.field(static=True)

    def __init__(self, key: PRNGKeyArray, m: int, k: int, num_domains: int, start: float):
        if not 0 <= k <= m:
            raise ValueError(f"k must be in 0..{m}, the dimension; got {k}.")
        noise = 0.01 * jax.random.normal(key, (num_domains, m, m))
        self.weights = (start * jnp.eye(m) + noise) / _UNIT
        self.biases, self.k = jnp.zeros((num_domains, m)), k

    def __call__(self, x: Float[Array, "n m"], d: Int[Array, " n"]) -> Float[Array, "n m"]:
        """One row per domain number; to be traced."""
        own = jnp.arange(x.shape[1]) >= x.shape[1] - self.k
        weights = jnp.where(own[:, None], self.weights, self.weights[:1])
        biases = jnp.where(own, self.biases, self.biases[:1])
        return _UNIT * (jnp.einsum("nij,nj->ni", jnp.tril(weights)[d], x) + biases[d])


class PaperNetworks(eqx.Module):
    """g⁺ and g, f⁺_{d,μ}, f⁺_{d,σ} and f_d."""

    ends: Autoencoder
    mean: Triangular
    spread: Triangular
    scm: Triangular

    def __init__(self, key: PRNGKeyArray, ends: Autoencoder, k: int, num_domains: int):
        parts = zip(jax.random.split(key, 3), (1.0, 0.0, 1.0), strict=True)
        rows = [in_float32(Triangular(a, ends.m, k, num_domains, start)) for a, start in parts]
        self.ends, (self.mean, self.spread, self.scm) = ends, rows

    def posterior(
        self, x: Float[Array, "n h w c"], d: Int[Array, " n"]
    ) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
        """(f⁺_{d,μ}(z), f⁺_{d,σ}(z)) with z = g⁺(x); to be traced."""
        z = self.ends.posterior(x)[0]
        return self.mean(z, d), self.spread(z, d)

    def image(self, eps: Float[Array, "n m"], d: Int[Array, " n"]) -> Float[Array, "n h w c"]:
        """g(f_d(ε)); to be traced."""
        return self.ends.decoder(self.scm(eps, d))


class PaperImageILD(eqx.Module):
    """x̂_{d→d'} = g∘f_d'∘f⁺_{d,μ}∘g⁺(x): one set of networks, or one for each domain."""

    networks: tuple[PaperNetworks, ...]
    num_domains: int = eqx.field(static=True)

    def counterfactual(
        self, images: Shaped[np.ndarray, "n h w c"], source: int, target: int
    ) -> Images:
        """The images had they come from `target`; ε is the mean of its posterior."""
        (there, d), (back, e) = self._of(source), self._of(target)
        eps = in_batches(_noise, there, images, jnp.asarray(d))
        return in_batches(_image, back, eps, jnp.asarray(e))

    def reconstruct(self, images: Shaped[np.ndarray, "n h w c"]) -> Images:
        """x̂_{d→d} for the d that gives an image back best: this model has no plain way back."""
        ways = np.stack([self.counterfactual(images, d, d) for d in range(self.num_domains)])
        error = np.square(ways - as_floats(images)).sum(axis=(2, 3, 4))
        return ways[error.argmin(axis=0), np.arange(len(images))]

    def _of(self, domain: int) -> tuple[PaperNetworks, int]:
        """The networks of a domain, and its number there."""
        return (self.networks[0], domain) if len(self.networks) == 1 else (self.networks[domain], 0)


def _noise(model: PaperNetworks, images: Array, d: Array) -> Array:
    return model.posterior(floats(images), jnp.full(len(images), d))[0]


def _image(model: PaperNetworks, eps: Array, d: Array) -> Array:
    return model.image(eps, jnp.full(len(eps), d))
