"""What a code looks like, and how far apart images are: distances that a change of domain keeps.

A digit that is turned is as far from every other turned digit as it was when both were upright,
though it may be as far from itself as from any other. Distances are those of images in grey and of
unit length, so that neither colour nor brightness counts; a small network reads them off codes.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, Shaped
from sklearn.utils.extmath import randomized_svd

from elsewhere.datasets.pictures.image_data import as_floats
from elsewhere.draws import generator
from elsewhere.images.autoencoder import ImageCodes, drawn
from elsewhere.images.batches import in_float32
from elsewhere.images.descent import Now, descend

NUMBERS = 32  # principal components of an image
_ROWS = 20_000  # images that a network learns from, at most
_WIDTH, _PACE = 256, {"steps": 800, "batch": 512, "rate": 3e-3}
_NOTHING = 1e-6  # a squared length that is as good as none


class Appearance(eqx.Module):
    """z ↦ the principal components of its image in grey and of unit length, by a network."""

    network: eqx.nn.MLP
    centre: Float[Array, " m"]
    deviation: Float[Array, " m"]

    def __init__(self, key: PRNGKeyArray, z: Float[np.ndarray, "n m"], numbers: int):
        self.centre = jnp.asarray(z.mean(axis=0))
        self.deviation = jnp.asarray(np.maximum(z.std(axis=0), np.sqrt(_NOTHING)))
        self.network = in_float32(eqx.nn.MLP(z.shape[1], numbers, _WIDTH, 2, key=key))

    def __call__(self, z: Float[Array, "n m"]) -> Float[Array, "n p"]:
        """The components of every code's image; to be traced."""
        centre, deviation = jax.lax.stop_gradient((self.centre, self.deviation))
        return jax.vmap(self.network)((z - centre) / deviation)


def learn_appearance(
    key: PRNGKeyArray, codes: ImageCodes, images: Shaped[np.ndarray, "n h w c"]
) -> Appearance:
    """min mean |looks(z) − components(x)|² over networks, z ~ q(z | x).

    Args:
        key: the first weights, which images are seen, and all draws.
        codes: q(z | x) of the images.
        images: uint8, or floats in 0..1.
    """
    network_key, rows_key, descent_key = jax.random.split(key, 3)
    rows = generator(rows_key).permutation(len(images))[:_ROWS]
    mean, log_variance, known = *(part[rows] for part in codes), components(images[rows])
    data = jnp.asarray(mean), jnp.asarray(log_variance), jnp.asarray(known)
    start = Appearance(network_key, mean, known.shape[1])
    return descend(descent_key, start, _misses, data, **_PACE)


def components(images: Shaped[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n p"]:
    """The first principal components of images in grey, each divided by its length."""
    grey = as_floats(images).mean(axis=3).reshape(len(images), -1)
    unit = grey / np.sqrt(np.square(grey).sum(axis=1, keepdims=True) + _NOTHING)
    left, scales, _ = randomized_svd(
        unit - unit.mean(axis=0), min(NUMBERS, *unit.shape), random_state=0
    )
    return (left * scales).astype(np.float32)


def distortion(
    before: Float[Array, "n p"], after: Float[Array, "n p"], group: Int[Array, " n"]
) -> Float[Array, ""]:
    """Σ (|a_i − a_j| − |b_i − b_j|)² / Σ |a_i − a_j|² over pairs of the same group.

    Args:
        before: what images look like.
        after: the same images in other domains.
        group: which of them went the same way: only these are compared.
    """
    old, new = _distances(before), _distances(after)
    same = group[:, None] == group
    return (same * jnp.square(old - new)).sum() / ((same * jnp.square(old)).sum() + _NOTHING)


def _distances(x: Float[Array, "n p"]) -> Float[Array, "n n"]:
    square = jnp.square(x[:, None] - x).sum(axis=2)
    return jnp.sqrt(square + _NOTHING)  # a root has no slope at 0


def _misses(
    looks: Appearance,
    now: Now,
    mean: Float[Array, "n m"],
    log_variance: Float[Array, "n m"],
    known: Float[Array, "n p"],
) -> Float[Array, ""]:
    return jnp.square(looks(drawn(now.key, mean, log_variance)) - known).sum(axis=1).mean()
