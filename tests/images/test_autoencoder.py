"""Codes of images and images of codes, by a correct ELBO."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.images.autoencoder import Autoencoder, ImageCodes
from elsewhere.images.batches import BATCH
from elsewhere.images.colours import apart
from elsewhere.images.descent import Now
from elsewhere.images.elbo import CoderSettings, NegativeELBO, divergence, train_autoencoder
from elsewhere.saving.images import autoencoder_back, autoencoder_parts

pytestmark = pytest.mark.usefixtures("compile_fast")
KEY = jax.random.key(0)
SHORT = CoderSettings(steps=20, batch=8)


@pytest.fixture(scope="module")
def images():
    """A bright bar at one of many heights: one number says it all."""
    rng = np.random.default_rng(0)
    images = np.zeros((200, 8, 8, 1), np.uint8)
    for image, row in zip(images, rng.integers(0, 7, 200), strict=True):
        image[row : row + 2] = 220
    return images


@pytest.fixture(scope="module")
def trained(images):
    return train_autoencoder(KEY, images, 2, CoderSettings(beta=0.1, steps=300, batch=32))


def test_it_learns_to_reconstruct(trained, images):
    again = trained.decode(trained.encode(images).mean)
    x = images / np.float32(255)
    assert again.shape == images.shape
    assert np.square(again - x).mean() < 0.3 * np.square(x - x.mean(axis=0)).mean()


def test_any_number_of_images(trained, images):
    many = np.concatenate([images] * (BATCH // len(images) + 1))
    codes = trained.encode(many)
    assert np.allclose(codes.mean[: len(images)], trained.encode(images).mean, atol=1e-5)
    assert trained.encode(images[:0]).mean.shape == (0, 2)
    assert trained.decode(np.zeros((1, 2))).shape == (1, 8, 8, 1)


def test_the_same_key_gives_the_same_codes(images):
    first, again, other = (
        train_autoencoder(jax.random.key(k), images, 2, SHORT).encode(images).mean
        for k in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_draws_have_the_posterior_mean_and_variance():
    codes = ImageCodes(
        np.full((4_000, 2), 3, np.float32), np.full((4_000, 2), np.log(0.25), np.float32)
    )
    z = codes.draw(np.random.default_rng(0))
    assert np.allclose(z.mean(axis=0), 3, atol=0.05)
    assert np.allclose(z.std(axis=0), 0.5, atol=0.03)


def test_divergence_against_monte_carlo():
    mean, log_variance = jnp.array([[0.5, -1.0]]), jnp.array([[-1.0, 0.4]])
    noise = jax.random.normal(KEY, (200_000, 2))
    z = mean + jnp.exp(0.5 * log_variance) * noise
    log_ratio = 0.5 * (jnp.square(z) - jnp.square(noise) - log_variance).sum(axis=1)
    assert abs(divergence(mean, log_variance) - log_ratio.mean()) < 0.02


def test_the_elbo_is_error_plus_beta_times_divergence(images):
    model, x = Autoencoder(KEY, (8, 8, 1), 2), jnp.asarray(images[:16])
    now = Now(jax.random.key(3), jnp.zeros(()))
    values = [float(NegativeELBO(beta)(model, now, x)) for beta in (0.0, 1.0, 2.0)]
    mean, log_variance = model.posterior(x.astype(jnp.float32) / 255)
    assert values[1] - values[0] == pytest.approx(float(divergence(mean, log_variance)), rel=1e-4)
    assert values[2] - values[1] == pytest.approx(values[1] - values[0], rel=1e-4)


@pytest.mark.parametrize("architecture", ["beta_vae", "vq_vae"])
@pytest.mark.parametrize("shape", [(8, 8, 1), (28, 20, 3), (9, 15, 2)])
def test_shapes_of_both_architectures(architecture, shape):
    model = Autoencoder(KEY, shape, 3, architecture)
    assert model.encode(np.zeros((2, *shape), np.uint8)).mean.shape == (2, 3)
    out = model.decode(np.zeros((2, 3)))
    assert out.shape == (2, *shape)
    assert ((out >= 0) & (out <= 1)).all()
    assert all(a.dtype == jnp.float32 for a in jax.tree.leaves(model) if eqx.is_inexact_array(a))


def test_what_is_refused(trained, images):
    with pytest.raises(ValueError, match="at least one number and 8 × 8 pixels"):
        Autoencoder(KEY, (4, 8, 1), 2)
    with pytest.raises(ValueError, match=r"images must have shape \[n, 8, 8, 1\]"):
        trained.encode(np.zeros((1, 8, 9, 1), np.uint8))
    with pytest.raises(ValueError, match="beta must be positive; got 0"):
        CoderSettings(beta=0.0)
    with pytest.raises(ValueError, match="optimiser must be one of adam, muon; got 'sgd'"):
        CoderSettings(optimiser="sgd")
    for colours in (-1, 2):
        with pytest.raises(ValueError, match=f"the m=2 numbers of a code, or 0; got {colours}"):
            train_autoencoder(KEY, images, 2, CoderSettings(colours=colours))


@pytest.mark.parametrize("key", [None, jax.random.key(5)])
def test_colours_are_read_off_shuffled_blocks_and_the_rest_off_other_colours(images, key):
    model, x = Autoencoder(KEY, (8, 8, 1), 3, colours=1), jnp.asarray(images[:6], jnp.float32) / 255
    plain = Autoencoder(KEY, (8, 8, 1), 3)
    places, colours = (plain.posterior(view) for view in apart(x, key))
    for found, first, rest in zip(model.posterior(x, key), places, colours, strict=True):
        assert np.allclose(found[:, :1], first[:, :1], atol=1e-6)
        assert np.allclose(found[:, 1:], rest[:, 1:], atol=1e-6)


def test_a_code_does_not_depend_on_the_images_beside_it(images):
    model = Autoencoder(KEY, (8, 8, 1), 3, colours=2)
    assert np.allclose(model.encode(images[7:9]).mean, model.encode(images).mean[7:9], atol=1e-6)


def test_the_inverse_is_nearer_than_the_posterior_mean_and_undoes_decoding(trained, images):
    x = images / np.float32(255)
    error = lambda z: np.square(trained.decode(z) - x).sum(axis=(1, 2, 3))  # noqa: E731
    assert (error(trained.invert(images)) <= error(trained.encode(images).mean) + 1e-5).all()
    decoded = trained.decode(trained.encode(images).mean)
    far, near = (
        np.square(trained.decode(z) - decoded).sum()
        for z in (trained.encode(decoded).mean, trained.invert(decoded))
    )
    assert near < 0.5 * far


def test_what_is_learnt_to_hold_colours_leaves_the_others_alone():
    """Bars at one of seven heights in one of many colours: these are written apart."""
    rng, images = np.random.default_rng(0), np.zeros((400, 8, 8, 3), np.float32)
    for image, row, colour in zip(
        images, rng.integers(0, 7, 400), rng.random((400, 3)), strict=True
    ):
        image[row : row + 2] = colour
    turned = images[..., [1, 2, 0]]

    def others_share(colours):
        settings = CoderSettings(beta=0.02, steps=300, batch=64, colours=colours)
        model = train_autoencoder(KEY, images, 6, settings)
        change = np.square(model.encode(turned).mean - model.encode(images).mean)
        return change[:, 3:].sum() / change.sum()

    assert others_share(3) < 0.6 * others_share(0)


@pytest.mark.parametrize("colours", [0, 2])
def test_what_is_saved_reads_images_as_before(images, colours):
    model = Autoencoder(KEY, (8, 8, 1), 3, colours=colours)
    built, arrays = autoencoder_parts(model)
    assert np.array_equal(autoencoder_back(built, arrays).read(images[:3]), model.read(images[:3]))


def test_a_file_without_colours_keeps_none_apart():
    built, arrays = autoencoder_parts(Autoencoder(KEY, (8, 8, 1), 3))
    assert autoencoder_back({n: v for n, v in built.items() if n != "colours"}, arrays).colours == 0
