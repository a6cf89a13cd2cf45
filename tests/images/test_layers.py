"""Convolutions against XLA's own, and the halving and doubling ones against each other."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.images.layers import Conv, DownConv, UpConv, down, up

LAYOUT = ("NHWC", "HWIO", "NHWC")
sizes = st.sampled_from([1, 2, 3, 8, 9])  # few channels and many: other products serve them


def normal(seed, *shape):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape))


def both(*functions):
    """Compiled as one, for an operation at a time costs more."""
    return jax.jit(lambda *given: [f(*given) for f in functions])


def xla_down(x, weight):
    return jax.lax.conv_general_dilated(x, weight, (2, 2), [(1, 1), (1, 1)], None, None, LAYOUT)


def xla_up(x, weight):
    pad = [(2, 2), (2, 2)]
    return jax.lax.conv_general_dilated(x, weight[::-1, ::-1], (1, 1), pad, (2, 2), None, LAYOUT)


@given(st.integers(2, 9), st.integers(2, 9), sizes, sizes)
def test_down_is_the_convolution(h, w, c, out):
    x, weight = normal(0, 2, h, w, c), normal(1, 4, 4, c, out)
    ours, xla = both(down, xla_down)(x, weight)
    np.testing.assert_allclose(ours, xla, atol=1e-12)


@given(st.integers(1, 5), st.integers(1, 5), sizes, sizes)
def test_up_is_the_transposed_convolution(h, w, c, out):
    x, weight = normal(0, 2, h, w, c), normal(1, 4, 4, c, out)
    ours, xla = both(up, xla_up)(x, weight)
    np.testing.assert_allclose(ours, xla, atol=1e-12)


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 3, 7]), st.integers(1, 3))
def test_conv_is_the_convolution(h, w, size, stride):
    conv, x, half = Conv(jax.random.key(0), 2, 3, size, stride), normal(0, 2, h, w, 2), size // 2
    window = (stride, stride), [(half, half), (half, half)]
    xla = lambda x: jax.lax.conv_general_dilated(x, conv.weight, *window, None, None, LAYOUT)  # noqa: E731
    ours, theirs = both(conv, xla)(x)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize(("c", "out"), [(2, 3), (3, 2)])
def test_up_is_the_transpose_of_down(c, out):
    """⟨down(x), y⟩ = ⟨x, up(y)⟩ with input and output channels swapped."""
    x, y, weight = normal(0, 6, 8, c), normal(1, 3, 4, out), normal(2, 4, 4, c, out)
    left = (jax.jit(down)(x, weight) * y).sum()
    right = (x * jax.jit(up)(y, jnp.swapaxes(weight, 2, 3))).sum()
    np.testing.assert_allclose(left, right, rtol=1e-12)


@pytest.mark.parametrize(("ours", "xla"), [(down, xla_down), (up, xla_up)])
@pytest.mark.parametrize(("c", "out"), [(1, 3), (3, 1), (8, 9), (9, 8)])
def test_derivatives_agree(ours, xla, c, out):
    x, weight = normal(0, 2, 6, 4, c), normal(1, 4, 4, c, out)
    loss = [lambda *given, f=f: jnp.sin(f(*given)).sum() for f in (ours, xla)]
    slopes = both(*(jax.grad(f, (0, 1)) for f in loss))(x, weight)
    for mine, theirs in zip(*slopes, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-11)


@pytest.mark.parametrize(("layer", "shape"), [(DownConv, (4, 3, 6)), (UpConv, (16, 12, 6))])
def test_layers_take_one_image_or_many(layer, shape):
    module = layer(jax.random.key(0), 2, 6)
    module = eqx.tree_at(lambda m: m.bias, module, jnp.arange(6.0))
    x = normal(0, 3, 8, 6, 2)
    many, one, none = jax.jit(lambda x: (module(x), module(x[1]), module(0 * x)))(x)
    assert many.shape == (3, *shape)
    np.testing.assert_allclose(many[1], one, atol=1e-12)
    np.testing.assert_allclose(none[0, 1, 1], jnp.arange(6.0))


@pytest.mark.parametrize("layer", [DownConv, UpConv])
def test_first_weights_keep_the_scale_through_rectifiers(layer):
    module = layer(jax.random.key(0), 32, 32)
    y = jax.jit(lambda x: module(x))(normal(0, 4, 16, 16, 32))[:, 2:-2, 2:-2]
    assert 0.7 < float(jnp.square(jax.nn.relu(y)).mean()) < 1.3
