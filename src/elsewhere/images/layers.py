"""Convolutions as matrix products.

XLA's own convolutions are slow on a CPU: strided and transposed ones, their derivatives, and
all of them inside a compiled loop. A convolution is a product of every pixel's neighbours with one
matrix; one of 4 × 4 and stride 2 has few of them, for it is a 2 × 2 convolution on 2 × 2 blocks of
pixels. Its four neighbours may be gathered first, multiplied first, or multiplied one by one:
whichever moves least, by the numbers of channels. Channels come last; leading axes are free.
"""

import functools
from collections.abc import Iterable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

_CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
_FEW = 8  # channels below which a matrix for each corner is too small to be fast
_whole = jax.lax.optimization_barrier  # copied once, not read pixel by pixel in every product


class DownConv(eqx.Module):
    """4 × 4 convolution, stride 2, one pixel of padding: [h, w, c] to [h // 2, w // 2, out]."""

    weight: Float[Array, "4 4 c out"]
    bias: Float[Array, " out"]

    def __init__(self, key: PRNGKeyArray, channels: int, out: int):
        self.weight = _weight(key, channels, out, taps=16)
        self.bias = jnp.zeros(out)

    def __call__(self, x: Float[Array, "*batch h w c"]) -> Float[Array, "*batch h2 w2 out"]:
        """down(x) + bias."""
        return down(x, self.weight) + self.bias


class UpConv(eqx.Module):
    """4 × 4 transposed convolution, stride 2: [h, w, c] to [2 h, 2 w, out]."""

    weight: Float[Array, "4 4 c out"]
    bias: Float[Array, " out"]

    def __init__(self, key: PRNGKeyArray, channels: int, out: int):
        self.weight = _weight(key, channels, out, taps=4)
        self.bias = jnp.zeros(out)

    def __call__(self, x: Float[Array, "*batch h w c"]) -> Float[Array, "*batch h2 w2 out"]:
        """up(x) + bias."""
        return up(x, self.weight) + self.bias


class Conv(eqx.Module):
    """k × k convolution for odd k, k // 2 pixels of padding, no bias."""

    weight: Float[Array, "k k c out"]
    stride: int = eqx.field(static=True)

    def __init__(self, key: PRNGKeyArray, channels: int, out: int, size: int = 3, stride: int = 1):
        self.weight = _weight(key, channels, out, taps=size * size, size=size)
        self.stride = stride

    def __call__(self, x: Float[Array, "*batch h w c"]) -> Float[Array, "*batch h2 w2 out"]:
        """y[i, j] = Σ_ab x[s i + a − k // 2, s j + b − k // 2] weight[a, b], s the stride."""
        (size, _, c, out), s = self.weight.shape, self.stride
        h, w, half = x.shape[-3], x.shape[-2], size // 2
        padded, taps = _pad(x, (half, half), (half, half)), range(size)
        views = [padded[..., a : a + h : s, b : b + w : s, :] for a in taps for b in taps]
        return _product(jnp.concatenate(views, axis=-1), self.weight.reshape(size * size * c, out))


def down(
    x: Float[Array, "*batch h w c"], weight: Float[Array, "4 4 c out"]
) -> Float[Array, "*batch h2 w2 out"]:
    """y[i, j] = Σ_ab x[2i + a − 1, 2j + b − 1] weight[a, b], with 0 beyond the edges."""
    (h, w, c), out = x.shape[-3:], weight.shape[-1]
    blocks, kernel = _to_blocks(_pad(x, (1, 1 - h % 2), (1, 1 - w % 2))), _by_blocks(weight)
    if out <= c:  # multiply by all four matrices at once, then add up four neighbours
        matrix = kernel.transpose(1, 3, 4, 0, 2, 5).reshape(4 * c, 4 * out)
        parts = jnp.split(_product(blocks, matrix), 4, axis=-1)
        return _sum(_views(part)[i] for i, part in enumerate(parts))
    matrices = kernel.transpose(0, 2, 1, 3, 4, 5).reshape(4, 4 * c, out)
    if c < _FEW:  # gather four neighbours of each block, then multiply
        return _product(jnp.concatenate(_views(blocks), axis=-1), matrices.reshape(16 * c, out))
    views = _whole(_views(_whole(blocks)))
    return _sum(_product(view, matrix) for view, matrix in zip(views, matrices, strict=True))


def up(
    x: Float[Array, "*batch h w c"], weight: Float[Array, "4 4 c out"]
) -> Float[Array, "*batch h2 w2 out"]:
    """The transpose of `down`: y[2i + a − 1, 2j + b − 1] += x[i, j] weight[a, b]."""
    (c, out), kernel = weight.shape[2:], _by_blocks(weight)
    if c <= out:  # gather four neighbours of each pixel, then multiply by one matrix
        matrix = kernel[::-1, :, ::-1].transpose(0, 2, 4, 1, 3, 5).reshape(4 * c, 4 * out)
        views = jnp.concatenate(_views(_pad(x, (1, 1), (1, 1))), axis=-1)
        return _from_blocks(_product(views, matrix))[..., 1:-1, 1:-1, :]
    matrices = kernel.transpose(0, 2, 4, 1, 3, 5).reshape(4, c, 4 * out)
    if out < _FEW:  # multiply by all four matrices at once
        parts = jnp.split(_product(x, jnp.concatenate([*matrices], axis=1)), 4, axis=-1)
    else:
        parts = [_product(x, matrix) for matrix in matrices]
    places = zip(parts, _CORNERS, strict=True)
    blocks = _sum(_pad(part, (i, 1 - i), (j, 1 - j)) for part, (i, j) in places)
    return _from_blocks(blocks)[..., 1:-1, 1:-1, :]


def _views(x: Float[Array, "*batch h w c"]) -> list[Float[Array, "*batch h1 w1 c"]]:
    """x without its last or first row and its last or first column, four ways."""
    h, w = x.shape[-3] - 1, x.shape[-2] - 1
    return [x[..., i : i + h, j : j + w, :] for i, j in _CORNERS]


def _sum(parts: Iterable[Array]) -> Array:
    return functools.reduce(jnp.add, parts)


def _product(
    x: Float[Array, "*batch h w c"], matrix: Float[Array, "c out"]
) -> Float[Array, "*batch h w out"]:
    """x @ matrix, on flat rows: XLA is then twice as fast in the derivative by the matrix."""
    flat = x.reshape(-1, x.shape[-1]) @ matrix
    return flat.reshape(*x.shape[:-1], matrix.shape[1])


def _by_blocks(weight: Float[Array, "4 4 c out"]) -> Float[Array, "2 2 2 2 c out"]:
    return weight.reshape(2, 2, 2, 2, *weight.shape[2:])


def _to_blocks(x: Float[Array, "*batch h w c"]) -> Float[Array, "*batch h2 w2 c4"]:
    *batch, h, w, c = x.shape
    pairs = x.reshape(*batch, h // 2, 2, w // 2, 2, c)
    return jnp.swapaxes(pairs, -4, -3).reshape(*batch, h // 2, w // 2, 4 * c)


def _from_blocks(x: Float[Array, "*batch h w c4"]) -> Float[Array, "*batch h2 w2 c"]:
    *batch, h, w, c = x.shape
    pairs = x.reshape(*batch, h, w, 2, 2, c // 4)
    return jnp.swapaxes(pairs, -4, -3).reshape(*batch, 2 * h, 2 * w, c // 4)


def _pad(x: Array, rows: tuple[int, int], columns: tuple[int, int]) -> Array:
    return jnp.pad(x, [(0, 0)] * (x.ndim - 3) + [rows, columns, (0, 0)])


def _weight(
    key: PRNGKeyArray, channels: int, out: int, taps: int, size: int = 4
) -> Float[Array, "size size channels out"]:
    """N(0, 2 / inputs): keeps the scale of signals through rectifiers."""
    scale = jnp.sqrt(2 / (taps * channels))
    return scale * jax.random.normal(key, (size, size, channels, out))
