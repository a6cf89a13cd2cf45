"""Other colours, the same picture."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.images.recolour import recoloured

KEY = jax.random.key(0)


@given(seed=st.integers(0, 99), n=st.integers(1, 3), c=st.integers(1, 4))
def test_colours_fill_the_range_and_every_image_has_its_own(seed, n, c):
    images = np.random.default_rng(seed).random((n, 3, 5, c), np.float32)
    new = np.asarray(recoloured(jax.random.key(seed), jnp.asarray(images)))
    assert new.shape == images.shape
    assert np.allclose(new.min(axis=(1, 2, 3)), 0)
    assert np.allclose(new.max(axis=(1, 2, 3)), 1)


def test_pixels_alike_stay_alike_and_others_stay_apart():
    two = jnp.array([[0.1, 0.5, 0.2], [0.9, 0.3, 0.3]])
    image = two[jnp.array([[0, 1, 0], [1, 1, 0]])][None]
    new = np.asarray(recoloured(KEY, image))[0]
    assert len(np.unique(new.reshape(-1, 3).round(5), axis=0)) == 2
    assert np.allclose(new[0, 0], new[1, 2])


@pytest.mark.parametrize("brightness", [0.0, 0.4, 1.0])
def test_a_flat_grey_image_stays_flat(brightness):
    new = np.asarray(recoloured(KEY, jnp.full((1, 4, 4, 1), brightness)))
    assert (new == 0).all()


@given(scale=st.floats(0.05, 20))
def test_brightness_and_contrast_do_not_matter(scale):
    image = jnp.asarray(np.random.default_rng(0).random((1, 4, 4, 3), np.float32))
    assert np.allclose(recoloured(KEY, scale * image), recoloured(KEY, image), atol=1e-4)
