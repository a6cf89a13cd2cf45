"""Encoders and decoders: images [n, h, w, c] to numbers, and numbers to images in 0..1."""

import math

import equinox as eqx
import jax
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.images.layers import Conv, DownConv, UpConv

Maps = Float[Array, "n h w c"]
Shape = tuple[int, int, int]
_HIDDEN = 256
_RESIDUAL = 64


class Encoder(eqx.Module):
    """The β-VAE's: convolutions that halve the image down to 4 × 4 or 3 × 3, then 256 units."""

    convolutions: list[DownConv]
    hidden: eqx.nn.Linear
    out: eqx.nn.Linear

    def __init__(self, key: PRNGKeyArray, shape: Shape, out: int):
        keys, (h, w, c) = jax.random.split(key, 16), shape
        self.convolutions = []
        for i, width in enumerate(_widths(shape)):
            self.convolutions.append(DownConv(keys[i], c, width))
            h, w, c = h // 2, w // 2, width
        self.hidden = eqx.nn.Linear(h * w * c, _HIDDEN, key=keys[-1])
        self.out = eqx.nn.Linear(_HIDDEN, out, key=keys[-2])

    def __call__(self, x: Maps) -> Float[Array, "n out"]:
        """The dimension of a code."""
        for convolution in self.convolutions:
            x = jax.nn.relu(convolution(x))
        x = jax.nn.relu(jax.vmap(self.hidden)(x.reshape(len(x), -1)))
        return jax.vmap(self.out)(x)


class Decoder(eqx.Module):
    """The β-VAE's: the encoder's mirror image."""

    hidden: eqx.nn.Linear
    spread: eqx.nn.Linear
    convolutions: list[UpConv]
    shape: Shape = eqx.field(static=True)

    def __init__(self, key: PRNGKeyArray, shape: Shape, m: int):
        keys, widths = jax.random.split(key, 16), _widths(shape)
        start = _start(shape, len(widths), widths[-1])
        channels = [*reversed(widths), shape[2]]
        self.hidden = eqx.nn.Linear(m, _HIDDEN, key=keys[-1])
        self.spread = eqx.nn.Linear(_HIDDEN, start[0] * start[1] * start[2], key=keys[-2])
        pairs = zip(keys, channels[:-1], channels[1:], strict=False)
        self.convolutions = [UpConv(k, c, width) for k, c, width in pairs]
        self.shape = shape

    def __call__(self, z: Float[Array, "n m"]) -> Maps:
        """One image per code."""
        x = jax.nn.relu(jax.vmap(self.spread)(jax.nn.relu(jax.vmap(self.hidden)(z))))
        depth, width = len(self.convolutions), self.convolutions[0].weight.shape[2]
        x = x.reshape(len(z), *_start(self.shape, depth, width))
        for convolution in self.convolutions[:-1]:
            x = jax.nn.relu(convolution(x))
        return jax.nn.sigmoid(_middle(self.convolutions[-1](x), self.shape))


class Residual(eqx.Module):
    """x + conv1×1(relu(conv3×3(relu(x))))."""

    wide: Conv
    narrow: Conv

    def __init__(self, key: PRNGKeyArray, channels: int):
        first, second = jax.random.split(key)
        self.wide = Conv(first, channels, channels // 2)
        self.narrow = Conv(second, channels // 2, channels, 1)

    def __call__(self, x: Maps) -> Maps:
        """The sum of both ways."""
        return x + self.narrow(jax.nn.relu(self.wide(jax.nn.relu(x))))


class ResidualEncoder(eqx.Module):
    """The VQ-VAE's without its quantiser: two halving convolutions, two residual blocks, dense."""

    convolutions: tuple[DownConv, DownConv]
    blocks: tuple[Residual, Residual]
    out: eqx.nn.Linear

    def __init__(self, key: PRNGKeyArray, shape: Shape, out: int):
        keys, (h, w, c) = jax.random.split(key, 5), shape
        self.convolutions = (
            DownConv(keys[0], c, _RESIDUAL // 2),
            DownConv(keys[1], _RESIDUAL // 2, _RESIDUAL),
        )
        self.blocks = Residual(keys[2], _RESIDUAL), Residual(keys[3], _RESIDUAL)
        self.out = eqx.nn.Linear((h // 4) * (w // 4) * _RESIDUAL, out, key=keys[4])

    def __call__(self, x: Maps) -> Float[Array, "n out"]:
        """The dimension of a code."""
        first, second = self.convolutions
        x = second(jax.nn.relu(first(x)))
        for block in self.blocks:
            x = block(x)
        return jax.vmap(self.out)(jax.nn.relu(x).reshape(len(x), -1))


class ResidualDecoder(eqx.Module):
    """The VQ-VAE's: dense, two residual blocks, two doubling convolutions."""

    spread: eqx.nn.Linear
    blocks: tuple[Residual, Residual]
    convolutions: tuple[UpConv, UpConv]
    shape: Shape = eqx.field(static=True)

    def __init__(self, key: PRNGKeyArray, shape: Shape, m: int):
        keys, (h, w, c) = jax.random.split(key, 5), _start(shape, 2, _RESIDUAL)
        self.spread = eqx.nn.Linear(m, h * w * c, key=keys[0])
        self.blocks = Residual(keys[1], c), Residual(keys[2], c)
        self.convolutions = UpConv(keys[3], c, c // 2), UpConv(keys[4], c // 2, shape[2])
        self.shape = shape

    def __call__(self, z: Float[Array, "n m"]) -> Maps:
        """One image per code."""
        x = jax.vmap(self.spread)(z).reshape(len(z), *_start(self.shape, 2, _RESIDUAL))
        for block in self.blocks:
            x = block(x)
        first, second = self.convolutions
        x = second(jax.nn.relu(first(jax.nn.relu(x))))
        return jax.nn.sigmoid(_middle(x, self.shape))


def _widths(shape: Shape) -> list[int]:
    """Channels after each halving, down to about 4 pixels: 32, 32, 64, 64, …"""
    depth = max(1, round(math.log2(min(shape[:2]) / 4)))
    return [32, 32, *[64] * 16][:depth]


def _start(shape: Shape, depth: int, channels: int) -> Shape:
    """Where the decoder starts, so that doubling `depth` times reaches the whole image."""
    return -(-shape[0] // 2**depth), -(-shape[1] // 2**depth), channels


def _middle(x: Maps, shape: Shape) -> Float[Array, "n h2 w2 c"]:
    """The middle h × w pixels."""
    top, left = (x.shape[1] - shape[0]) // 2, (x.shape[2] - shape[1]) // 2
    return x[:, top : top + shape[0], left : left + shape[1]]
