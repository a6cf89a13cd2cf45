"""Other colours, the same picture; the same colours, no picture."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.images.colours import apart, recoloured, shuffled

KEY = jax.random.key(0)


def pictures(seed, n, h, w, c):
    return jnp.asarray(np.random.default_rng(seed).random((n, h, w, c), np.float32))


def pixels(image):
    """All of its pixels, sorted."""
    flat = np.asarray(image).reshape(-1, image.shape[-1])
    return flat[np.lexsort(flat.T)]


@given(seed=st.integers(0, 99), n=st.integers(1, 3), h=st.integers(1, 9), c=st.integers(1, 4))
def test_blocks_move_and_colours_stay(seed, n, h, c):
    images = pictures(seed, n, h, 9, c)
    moved, _ = apart(images, jax.random.key(seed))
    assert moved.shape == images.shape
    assert all(np.array_equal(pixels(a), pixels(b)) for a, b in zip(moved, images, strict=True))


def test_every_image_has_an_order_of_its_own_only_with_a_key():
    twins = jnp.concatenate([pictures(0, 1, 16, 16, 1)] * 2)
    (own, _), (same, _) = apart(twins, KEY), apart(twins)
    assert (own[0] != own[1]).any()
    assert (same[0] == same[1]).all()
    assert (same[0] != twins[0]).any()


def test_a_block_stays_whole():
    image = jnp.kron(jnp.arange(6.0).reshape(2, 3), jnp.ones((4, 4)))[None, :, :, None]
    moved = np.asarray(shuffled(KEY[None], image))[0, :, :, 0]
    assert all(len(np.unique(moved[i : i + 4, j : j + 4])) == 1 for i in (0, 4) for j in (0, 4, 8))


@given(seed=st.integers(0, 99), n=st.integers(1, 3), c=st.integers(1, 4))
def test_colours_fill_the_range(seed, n, c):
    images = pictures(seed, n, 3, 5, c)
    for key in (None, jax.random.key(seed)):
        new = np.asarray(apart(images, key)[1])
        assert new.shape == images.shape
        assert np.allclose(new.min(axis=(1, 2, 3)), 0)
        assert np.allclose(new.max(axis=(1, 2, 3)), 1)


def test_pixels_alike_stay_alike_and_others_stay_apart():
    two = jnp.array([[0.1, 0.5, 0.2], [0.9, 0.3, 0.3]])
    image = two[jnp.array([[0, 1, 0], [1, 1, 0]])][None]
    new = np.asarray(apart(image, KEY)[1])[0]
    assert len(np.unique(new.reshape(-1, 3).round(5), axis=0)) == 2
    assert np.allclose(new[0, 0], new[1, 2])


@pytest.mark.parametrize("brightness", [0.0, 0.4, 1.0])
def test_a_flat_grey_image_stays_flat(brightness):
    assert (np.asarray(apart(jnp.full((1, 4, 4, 1), brightness), KEY)[1]) == 0).all()


@given(scale=st.floats(0.05, 20))
def test_brightness_and_contrast_do_not_matter(scale):
    image, matrix = pictures(0, 1, 4, 4, 3), jax.random.normal(KEY, (1, 3, 3))
    assert np.allclose(recoloured(matrix, scale * image), recoloured(matrix, image), atol=1e-4)
