"""g⁺ of a decoder: the code whose image is nearest, by Gauss–Newton from the encoder's guess."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Decode = Callable[[Float[Array, "n m"]], Float[Array, "n h w c"]]
STEPS = 2  # more gain little
_DAMPING, _FLOOR = 0.1, 0.01  # of the steps: relative, and in squared pixels a number of a code
AT_ONCE = 50  # images that a caller should give at once: the slopes of each are m images


def nearest_codes(
    decode: Decode, images: Float[Array, "n h w c"], z: Float[Array, "n m"]
) -> Float[Array, "n m"]:
    """argmin_z |x − decode(z)|² of every image, near to the z given; to be traced.

    Args:
        decode: codes to images.
        images: in 0..1.
        z: where to start; no code ends further from its image.
    """
    for _ in range(STEPS):
        z = jax.vmap(lambda image, z: _nearer(decode, image, z))(images, z)
    return z


def _nearer(
    decode: Decode, image: Float[Array, "h w c"], z: Float[Array, " m"]
) -> Float[Array, " m"]:
    """z + (JᵀJ + damping)⁻¹ Jᵀ(x − decode(z)), if that is nearer."""
    seen, slope = jax.linearize(lambda z: decode(z[None])[0].ravel(), z)
    slopes = jax.vmap(slope)(jnp.eye(len(z), dtype=z.dtype))
    missing = image.ravel() - seen
    square = slopes @ slopes.T
    damped = square + jnp.diag(_DAMPING * jnp.diag(square) + _FLOOR)
    moved = z + jnp.linalg.solve(damped, slopes @ missing)
    left = image - decode(moved[None])[0]
    return jnp.where(jnp.square(left).sum() < jnp.square(missing).sum(), moved, z)
