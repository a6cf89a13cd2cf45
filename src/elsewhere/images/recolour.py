"""The same image in other colours."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

_FLAT = 1e-3  # what differs by less than this is left flat


def recoloured(key: PRNGKeyArray, images: Float[Array, "n h w c"]) -> Float[Array, "n h w c"]:
    """(A x − min)/(max − min) of every pixel x, with A [c, c] standard normal, one an image.

    An affine map takes any four colours to any other four: what remains is where things are.
    """
    n, c = len(images), images.shape[-1]
    matrices = jax.random.normal(key, (n, c, c), images.dtype)
    mixed = jnp.einsum("nhwc,nkc->nhwk", images, matrices)
    low, high = (f(mixed, axis=(1, 2, 3), keepdims=True) for f in (jnp.min, jnp.max))
    return (mixed - low) / jnp.maximum(high - low, _FLAT)
