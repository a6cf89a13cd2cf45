"""M4: a pseudo-invertible mixing. An encoder gives a Gaussian code, a decoder an image."""

from typing import Literal, NamedTuple, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, Shaped

from elsewhere.images.batches import floats, in_batches, in_float32
from elsewhere.images.coders import Decoder, Encoder, ResidualDecoder, ResidualEncoder
from elsewhere.images.colours import apart
from elsewhere.images.nearest import AT_ONCE, nearest_codes

Architecture = Literal["beta_vae", "vq_vae"]
_CODERS = {"beta_vae": (Encoder, Decoder), "vq_vae": (ResidualEncoder, ResidualDecoder)}
_LOG_VARIANCE = (-12.0, 4.0)


class ImageCodes(NamedTuple):
    """q(z | x) = N(mean, diag exp log_variance), one per image."""

    mean: Float[np.ndarray, "n m"]
    log_variance: Float[np.ndarray, "n m"]

    def draw(self, rng: np.random.Generator) -> Float[np.ndarray, "n m"]:
        """z ~ q(z | x)."""
        noise = rng.standard_normal(self.mean.shape, np.float32)
        return self.mean + np.exp(0.5 * self.log_variance) * noise


def drawn(
    key: PRNGKeyArray, mean: Float[Array, "n m"], log_variance: Float[Array, "n m"]
) -> Float[Array, "n m"]:
    """z ~ N(mean, diag exp log_variance), one per row; to be traced."""
    return mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape, mean.dtype)


class Autoencoder(eqx.Module):
    """x ≈ decode(read(x)) for images [n, h, w, c]: uint8, or floats in 0..1.

    Weights are float32, whatever JAX's default.

    Args:
        key: the first weights.
        shape: (h, w, c) of an image, at least 8 × 8 pixels.
        m: the dimension of a code.
        architecture: "beta_vae", halving convolutions and two dense layers; "vq_vae", two halving
            convolutions and residual blocks, as the VQ-VAE without its quantiser.
        colours: how many of a code's first numbers hold the colours. These are read off the image
            with its blocks shuffled, so that they know no shape; the others off the image in other
            colours, so that they know no colour. 0 makes no such difference.
    """

    encoder: Encoder | ResidualEncoder
    decoder: Decoder | ResidualDecoder
    shape: tuple[int, int, int] = eqx.field(static=True)
    m: int = eqx.field(static=True)
    architecture: Architecture = eqx.field(static=True)
    colours: int = eqx.field(static=True)

    def __init__(
        self,
        key: PRNGKeyArray,
        shape: tuple[int, int, int],
        m: int,
        architecture: Architecture = "beta_vae",
        colours: int = 0,
    ):
        if architecture not in get_args(Architecture):
            raise ValueError(
                f"architecture must be one of {get_args(Architecture)}; got {architecture!r}."
            )
        if m < 1 or min(shape[:2]) < 8:
            raise ValueError(
                "an autoencoder needs a code of at least one number and 8 × 8 pixels; "
                f"got m={m} and shape {shape}."
            )
        if not 0 <= colours < m:
            raise ValueError(
                f"colours must be fewer than the m={m} numbers of a code, or 0; got {colours}."
            )
        first, second = jax.random.split(key)
        encoder, decoder = _CODERS[architecture]
        self.encoder = in_float32(encoder(first, shape, 2 * m))
        self.decoder = in_float32(decoder(second, shape, m))
        self.shape, self.m, self.architecture, self.colours = shape, m, architecture, colours

    def posterior(
        self, images: Float[Array, "n h w c"], key: PRNGKeyArray | None = None
    ) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
        """(mean, log variance) of q(z | x); to be traced. A key shuffles and recolours anew."""
        mean, log_variance = jnp.split(self._numbers(images, key), 2, axis=-1)
        return mean, jnp.clip(log_variance, *_LOG_VARIANCE)

    def _numbers(self, images: Float[Array, "n h w c"], key: PRNGKeyArray | None) -> Array:
        if not self.colours:
            return self.encoder(images)
        both = self.encoder(jnp.concatenate(apart(images, key)))
        of_colours = jnp.arange(2 * self.m) % self.m < self.colours
        return jnp.where(of_colours, *jnp.split(both, 2))

    def encode(self, images: Shaped[np.ndarray, "n h w c"]) -> ImageCodes:
        """q(z | x) of any number of images."""
        self._check(images)
        return ImageCodes(*in_batches(_posterior, self, images))

    def read(self, images: Shaped[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n m"]:
        """z of every image: the mean of q(z | x), or with colours apart g⁺(x).

        Shuffled and recoloured images are read less exactly. Without `colours` the mean is better:
        a model of codes knows means, and moves codes beside them less far than it should.
        """
        return self.invert(images) if self.colours else self.encode(images).mean

    def invert(self, images: Shaped[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n m"]:
        """g⁺(x) = argmin_z |x − decode(z)|², from the mean of q(z | x) on."""
        self._check(images)
        return in_batches(_inverse, self, images, size=AT_ONCE)

    def decode(self, z: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n h w c"]:
        """The images of codes, in 0..1."""
        return in_batches(_image, self.decoder, np.asarray(z, np.float32))

    def _check(self, images: Shaped[np.ndarray, "..."]) -> None:
        if images.shape[1:] != self.shape:
            raise ValueError(
                f"images must have shape [n, {', '.join(map(str, self.shape))}], as in training; "
                f"got {images.shape}."
            )


def _posterior(autoencoder: Autoencoder, images: Array) -> tuple[Array, Array]:
    return autoencoder.posterior(floats(images))


def _inverse(autoencoder: Autoencoder, images: Array) -> Array:
    x = floats(images)
    return nearest_codes(autoencoder.decoder, x, autoencoder.posterior(x)[0])


def _image(decoder: Decoder | ResidualDecoder, z: Array) -> Array:
    return decoder(z)
