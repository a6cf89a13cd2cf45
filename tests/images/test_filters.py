"""Random filters: each adds up to 1, and is what it says."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from elsewhere.images.filters import (
    BLURRIER_FILTERS,
    NO_FILTERS,
    PAPER_FILTERS,
    Filters,
    draw_kernels,
    filtered,
    gaussian_kernels,
    random_filters,
)

KEY = jax.random.key(0)
IMAGES = jnp.asarray(np.random.default_rng(0).random((6, 12, 10, 3)))


def compiled(function, *given):
    """An operation at a time would cost more."""
    return eqx.filter_jit(function)(*given)


def only(**shares):
    return Filters(**({"stay": 0.0, "sharpen": 0.0, "blur": (0.0,), "sizes": (5,)} | shares))


@pytest.mark.parametrize("filters", [PAPER_FILTERS, BLURRIER_FILTERS, NO_FILTERS])
def test_shares_and_kernels_add_up(filters):
    assert filters.stay + filters.sharpen + sum(filters.blur) == pytest.approx(1)
    kernels = compiled(draw_kernels, KEY, 2_000, filters)
    np.testing.assert_allclose(kernels.sum(axis=(1, 2)), 1, rtol=1e-6)
    centre = kernels.shape[1] // 2
    stays = np.asarray(kernels[:, centre, centre] > 0.999).mean()
    assert stays >= filters.stay - 0.03
    sharpens = np.asarray(kernels[:, centre, centre] > 1.001).mean()
    assert sharpens == pytest.approx(filters.sharpen, abs=0.03)


def test_no_filters_change_nothing():
    np.testing.assert_allclose(
        compiled(random_filters, KEY, IMAGES, NO_FILTERS), IMAGES, atol=1e-12
    )


def test_blurring_is_scipys():
    kernels = gaussian_kernels(jnp.full(6, 1.0), 9, 9)
    expected = gaussian_filter(np.asarray(IMAGES), 1.0, mode="mirror", radius=4, axes=(1, 2))
    np.testing.assert_allclose(compiled(filtered, IMAGES, kernels), expected, atol=1e-6)


def test_sharpening_is_twice_the_image_less_its_mean():
    sharp = compiled(random_filters, KEY, 0.25 + 0.5 * IMAGES, only(sharpen=1.0))
    x = np.asarray(0.25 + 0.5 * IMAGES)
    mean = sum(x[:, i : i + 10, j : j + 8] for i in range(3) for j in range(3))
    mean = (mean + 4 * x[:, 1:-1, 1:-1]) / 13
    inner = np.clip(2 * x[:, 1:-1, 1:-1] - mean, 0, 1)
    np.testing.assert_allclose(sharp[:, 1:-1, 1:-1], inner, atol=1e-6)


def test_blur_lowers_and_sharpening_raises_contrast():
    blurred = compiled(random_filters, KEY, IMAGES, only(blur=(1.0,), sigma=(1.0, 2.0)))
    sharp = compiled(random_filters, KEY, IMAGES, only(sharpen=1.0))
    assert float(blurred.std()) < 0.6 * float(IMAGES.std()) < 0.6 * float(sharp.std())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stay": 0.7}, "shares of 1"),
        ({"stay": 1.0, "sharpen": -1 / 3}, "shares of 1"),
        ({"sizes": (3, 4)}, "must be odd"),
        ({"sizes": (3,)}, "one for each share"),
    ],
)
def test_filters_that_are_none(change, message):
    with pytest.raises(ValueError, match=message):
        Filters(**change)


def test_filters_follow_the_key():
    first, again, other = (
        compiled(random_filters, jax.random.key(k), IMAGES, PAPER_FILTERS) for k in (0, 0, 1)
    )
    assert (first == again).all()
    assert (first != other).any()
