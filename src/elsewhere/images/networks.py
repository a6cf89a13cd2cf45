"""Networks from images [n, h, w, c] to one score per class [n, classes]."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.images.layers import Conv, DownConv

Maps = Float[Array, "n h w c"]


class SmallNetwork(eqx.Module):
    """Halving convolutions down to about 4 × 4 pixels, then two dense layers: for quick runs."""

    convolutions: list[DownConv]
    hidden: eqx.nn.Linear
    out: eqx.nn.Linear

    def __init__(self, key: PRNGKeyArray, shape: tuple[int, int, int], num_classes: int):
        *conv_keys, hidden_key, out_key = jax.random.split(key, 16)
        h, w, c = shape
        self.convolutions = []
        while min(h, w) > 4:
            width = min(96, 24 * 2 ** len(self.convolutions))
            self.convolutions.append(DownConv(conv_keys[len(self.convolutions)], c, width))
            h, w, c = h // 2, w // 2, width
        self.hidden = eqx.nn.Linear(h * w * c, 128, key=hidden_key)
        self.out = eqx.nn.Linear(128, num_classes, key=out_key)

    def __call__(self, x: Maps) -> Float[Array, "n classes"]:
        """One score per class."""
        for convolution in self.convolutions:
            x = jax.nn.relu(convolution(x))
        x = jax.nn.relu(jax.vmap(self.hidden)(x.reshape(len(x), -1)))
        return jax.vmap(self.out)(x)


class ResNet18(eqx.Module):
    """ResNet-18: a 7 × 7 stem, four stages of two residual blocks, a mean, a dense layer.

    Groups of channels are normalised where the original normalises batches, so that an image's
    scores do not depend on the images beside it.
    """

    stem: Conv
    norm: "Norm"
    blocks: list["ResidualBlock"]
    out: eqx.nn.Linear

    def __init__(self, key: PRNGKeyArray, shape: tuple[int, int, int], num_classes: int):
        stem_key, out_key, *keys = jax.random.split(key, 10)
        self.stem, self.norm = Conv(stem_key, shape[-1], 64, 7, 2), Norm(64)
        plan = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
        plan += [(128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
        self.blocks = [ResidualBlock(k, *sizes) for k, sizes in zip(keys, plan, strict=True)]
        self.out = eqx.nn.Linear(512, num_classes, key=out_key)

    def __call__(self, x: Maps) -> Float[Array, "n classes"]:
        """One score per class."""
        x = _halved_by_maximum(jax.nn.relu(self.norm(self.stem(x))))
        for block in self.blocks:
            x = block(x)
        return jax.vmap(self.out)(x.mean(axis=(1, 2)))


class ResidualBlock(eqx.Module):
    """relu(skip(x) + norm(conv(relu(norm(conv(x))))))."""

    first: Conv
    second: Conv
    norms: tuple["Norm", "Norm"]
    skip: Conv | None

    def __init__(self, key: PRNGKeyArray, channels: int, out: int, stride: int):
        keys = jax.random.split(key, 3)
        self.first, self.second = Conv(keys[0], channels, out, 3, stride), Conv(keys[1], out, out)
        self.norms = Norm(out), Norm(out)
        self.skip = None if stride == 1 else Conv(keys[2], channels, out, 1, stride)

    def __call__(self, x: Maps) -> Float[Array, "n h2 w2 out"]:
        """The sum of the skip and the two convolutions."""
        y = jax.nn.relu(self.norms[0](self.first(x)))
        y = self.norms[1](self.second(y))
        return jax.nn.relu(y + (x if self.skip is None else self.skip(x)))


class Norm(eqx.Module):
    """Mean 0 and variance 1 within each of 32 groups of channels of an image, then a scale."""

    scale: Float[Array, " c"]
    bias: Float[Array, " c"]

    def __init__(self, channels: int):
        self.scale, self.bias = jnp.ones(channels), jnp.zeros(channels)

    def __call__(self, x: Maps) -> Maps:
        """scale · (x − mean)/sd + bias."""
        n, h, w, c = x.shape
        groups = x.reshape(n, h * w, 32, c // 32)
        mean = groups.mean(axis=(1, 3), keepdims=True)
        variance = groups.var(axis=(1, 3), keepdims=True)
        unit = ((groups - mean) * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape)
        return unit * self.scale + self.bias


def _halved_by_maximum(x: Maps) -> Float[Array, "n h2 w2 c"]:
    """The maximum of 3 × 3 pixels, every second pixel."""
    edges = ((0, 0), (1, 1), (1, 1), (0, 0))
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), edges)
