"""Random sharpening and blurring of training images: each is one small filter.

As in the paper: half the images stay, a sixth each is sharpened (factor 2), blurred by a 3 × 3
and by a 5 × 5 Gaussian. A classifier that has seen blur does not take it for another domain.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray


@dataclass(frozen=True)
class Filters:
    """How often an image stays, is sharpened, or is blurred by a kernel of each size.

    Args:
        stay: the share of images that stay as they are.
        sharpen: the share that is sharpened.
        blur: the share for each of `sizes`; the three must add up to 1.
        sizes: odd widths of the Gaussian kernels, in pixels.
        sigma: each blur draws its standard deviation evenly from this range, in pixels.
    """

    stay: float = 1 / 2
    sharpen: float = 1 / 6
    blur: tuple[float, ...] = (1 / 6, 1 / 6)
    sizes: tuple[int, ...] = (3, 5)
    sigma: tuple[float, float] = (0.1, 2.0)

    def __post_init__(self) -> None:
        shares = [self.stay, self.sharpen, *self.blur]
        if min(shares) < 0 or abs(sum(shares) - 1) > 1e-6:
            raise ValueError(f"stay, sharpen and blur must be shares of 1; got {shares}.")
        if len(self.blur) != len(self.sizes) or any(size % 2 == 0 for size in self.sizes):
            raise ValueError(
                f"sizes must be odd, one for each share of blur; got {self.sizes} for {self.blur}."
            )


PAPER_FILTERS = Filters()
BLURRIER_FILTERS = Filters(0.3, 0.1, (0.2, 0.2, 0.2), (3, 5, 7), (0.3, 3.0))
NO_FILTERS = Filters(1.0, 0.0, (), ())


def random_filters(
    key: PRNGKeyArray, images: Float[Array, "n h w c"], filters: Filters
) -> Float[Array, "n h w c"]:
    """Each image through a filter of its own, cut to 0..1."""
    kernels = draw_kernels(key, len(images), filters)
    return jnp.clip(filtered(images, kernels.astype(images.dtype)), 0, 1)


def draw_kernels(key: PRNGKeyArray, n: int, filters: Filters) -> Float[Array, "n k k"]:
    """One kernel per image, of the largest size, each adding up to 1."""
    which_key, sigma_key = jax.random.split(key)
    shares = jnp.array([filters.stay, filters.sharpen, *filters.blur])
    which = jax.random.choice(which_key, len(shares), (n,), p=shares)
    sigma = jax.random.uniform(sigma_key, (n,), minval=filters.sigma[0], maxval=filters.sigma[1])
    width = max((3, *filters.sizes))
    fixed = [jnp.broadcast_to(kernel, (n, width, width)) for kernel in _stay_and_sharpen(width)]
    blurs = [gaussian_kernels(sigma, size, width) for size in filters.sizes]
    return jnp.stack([*fixed, *blurs])[which, jnp.arange(n)]


def filtered(
    images: Float[Array, "n h w c"], kernels: Float[Array, "n k k"]
) -> Float[Array, "n h w c"]:
    """Every image through its own kernel; beyond its edges the image is reflected."""
    width, (_, h, w, _) = kernels.shape[1], images.shape
    half = width // 2
    wide = jnp.pad(images, [(0, 0), (half, half), (half, half), (0, 0)], "reflect")
    shifts = ((i, j) for i in range(width) for j in range(width))
    total = sum(
        kernels[:, i, j, None, None, None] * wide[:, i : i + h, j : j + w] for i, j in shifts
    )
    return jnp.asarray(total)


def _stay_and_sharpen(width: int) -> tuple[Array, Array]:
    """The unit kernel δ, and 2 δ − s with s the 3 × 3 mean that counts its centre five times."""
    half = width // 2
    unit = jnp.zeros((width, width)).at[half, half].set(1.0)
    smooth = jnp.zeros((width, width)).at[half - 1 : half + 2, half - 1 : half + 2].set(1 / 13)
    return unit, 2 * unit - smooth.at[half, half].set(5 / 13)


def gaussian_kernels(
    sigma: Float[Array, " n"], size: int, width: int
) -> Float[Array, "n width width"]:
    """exp(−r²/2σ²) within `size` × `size` pixels, scaled to add up to 1, one a σ."""
    at = jnp.arange(width) - width // 2
    bell = jnp.exp(-(at**2) / (2 * sigma[:, None] ** 2)) * (jnp.abs(at) <= size // 2)
    bell = bell / bell.sum(axis=1, keepdims=True)
    return bell[:, :, None] * bell[:, None, :]
