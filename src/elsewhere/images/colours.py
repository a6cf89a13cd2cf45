"""An image in other colours, and its colours in other places."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key, PRNGKeyArray

_FLAT = 1e-3  # what differs by less than this is left flat
_BLOCK = 4  # height and width in pixels of what is moved
_SAME_KEY = 0  # of the one order in which every image is read


def apart(
    images: Float[Array, "n h w c"], key: PRNGKeyArray | None = None
) -> tuple[Float[Array, "n h w c"], Float[Array, "n h w c"]]:
    """(the images' colours in other places, the images in other colours).

    Drawn anew for every image with a key; without one, the same places and its own colours.
    """
    n, c = len(images), images.shape[-1]
    if key is None:
        keys = jnp.broadcast_to(jax.random.key(_SAME_KEY), n)
        return shuffled(keys, images), recoloured(
            jnp.broadcast_to(jnp.eye(c, dtype=images.dtype), (n, c, c)), images
        )
    places, colours = jax.random.split(key)
    matrices = jax.random.normal(colours, (n, c, c), images.dtype)
    return shuffled(jax.random.split(places, n), images), recoloured(matrices, images)


def recoloured(
    matrices: Float[Array, "n c c"], images: Float[Array, "n h w c"]
) -> Float[Array, "n h w c"]:
    """(A x − min)/(max − min) of every pixel x, with a matrix A for every image.

    An affine map takes any four colours to any other four: what remains is where things are.
    """
    mixed = jnp.einsum("nhwc,nkc->nhwk", images, matrices)
    low, high = (f(mixed, axis=(1, 2, 3), keepdims=True) for f in (jnp.min, jnp.max))
    return (mixed - low) / jnp.maximum(high - low, _FLAT)


def shuffled(keys: Key[Array, " n"], images: Float[Array, "n h w c"]) -> Float[Array, "n h w c"]:
    """Every image's blocks of 4 × 4 pixels in a random order: what remains is which colours."""
    return jax.vmap(_shuffled)(keys, images)


def _shuffled(key: PRNGKeyArray, image: Float[Array, "h w c"]) -> Float[Array, "h w c"]:
    """What is left of whole blocks at the right and the bottom stays."""
    (rows, columns), c = (side // _BLOCK for side in image.shape[:2]), image.shape[-1]
    h, w = rows * _BLOCK, columns * _BLOCK
    blocks = image[:h, :w].reshape(rows, _BLOCK, columns, _BLOCK, c).swapaxes(1, 2)
    moved = jax.random.permutation(key, blocks.reshape(rows * columns, _BLOCK, _BLOCK, c))
    whole = moved.reshape(rows, columns, _BLOCK, _BLOCK, c).swapaxes(1, 2).reshape(h, w, c)
    return image.at[:h, :w].set(whole)
