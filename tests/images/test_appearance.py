"""Distances between images, read off codes: what a turn keeps and a shuffle does not."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.images.appearance import Appearance, components, distortion, learn_appearance
from elsewhere.images.autoencoder import ImageCodes
from elsewhere.images.code_loss import NONE, NegativeLikelihood
from elsewhere.images.code_models import SharedMixing
from elsewhere.images.descent import Now
from elsewhere.images.fit_codes import FAR, FlowSettings, fit_codes
from elsewhere.images.matching import Match
from elsewhere.mixing import RotatedCouplings
from elsewhere.scm import TailSCM

pytestmark = pytest.mark.usefixtures("compile_fast")
KEY = jax.random.key(0)


def points(seed, n=12, p=3, scale=1.0):
    return scale * np.random.default_rng(seed).standard_normal((n, p))


def by_hand(before, after, group):
    """The formula, pair by pair."""
    above = below = 0.0
    for i in range(len(before)):
        for j in range(len(before)):
            if group[i] == group[j]:
                old, new = (np.linalg.norm(x[i] - x[j]) for x in (before, after))
                above, below = above + (old - new) ** 2, below + old**2
    return above / below


@given(seed=st.integers(0, 99), scale=st.sampled_from([1e-1, 1.0, 1e3]), ways=st.integers(1, 4))
def test_distortion_is_the_sum_over_pairs(seed, scale, ways):
    before, after = points(seed, scale=scale), points(seed + 1, scale=scale)
    group = np.arange(len(before)) % ways
    found = distortion(*map(jnp.asarray, (before, after, group)))
    assert float(found) == pytest.approx(by_hand(before, after, group), rel=1e-3)


@given(seed=st.integers(0, 99), sign=st.sampled_from([-1.0, 1.0]))
def test_turns_and_mirrors_distort_nothing(seed, sign):
    before = points(seed)
    turn = sign * np.linalg.qr(points(seed + 1, 3))[0]
    ones = jnp.zeros(len(before), int)
    assert distortion(jnp.asarray(before), jnp.asarray(before @ turn + 5), ones) < 1e-6
    assert distortion(jnp.asarray(before), jnp.asarray(2 * before), ones) == pytest.approx(1.0)


def test_one_image_has_no_distances():
    one = jnp.ones((1, 3))
    slope = jax.grad(lambda after: distortion(one, after, jnp.zeros(1, int)))(2 * one)
    assert distortion(one, 2 * one, jnp.zeros(1, int)) == 0
    assert np.all(np.asarray(slope) == 0)


def squares(n, c=3):
    """A bright square at one of four places, in a random colour and brightness; the places."""
    rng = np.random.default_rng(0)
    place, images = rng.integers(0, 4, n), np.zeros((n, 8, 8, c))
    colours = rng.uniform(0.3, 1, (n, c))
    for i, (row, column) in enumerate(zip(place // 2, place % 2, strict=True)):
        images[i, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = colours[i]
    return images, place


@pytest.mark.parametrize("as_bytes", [False, True])
def test_neither_colour_nor_brightness_counts(as_bytes):
    images, place = squares(60)
    seen = components((images * 255).astype(np.uint8) if as_bytes else images)
    for where in range(4):
        assert np.ptp(seen[place == where], axis=0).max() < 1e-3
    centres = np.stack([seen[place == where][0] for where in range(4)])
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(4, 1)]
    assert np.allclose(apart, np.sqrt(2), atol=1e-3)  # four images of unit length, at right angles


@pytest.mark.parametrize("n", [1, 2, 40])
def test_components_are_no_more_than_images_and_black_is_no_trouble(n):
    seen = components(np.zeros((n, 8, 8, 1), np.uint8))
    assert seen.shape == (n, min(n, 32))
    assert np.all(seen == 0)


def test_a_network_reads_looks_off_codes():
    images, place = squares(400)
    centres = np.array([[0, 0], [0, 3], [3, 0], [3, 3]], np.float32)
    noise = np.random.default_rng(1).standard_normal((400, 2)).astype(np.float32)
    codes = ImageCodes(1e3 * (centres[place] + 0.1 * noise), np.full((400, 2), 4, np.float32))
    looks = learn_appearance(KEY, codes, images)
    found, known = np.asarray(looks(jnp.asarray(codes.mean))), components(images)
    pairs = [np.linalg.norm(x[:50, None] - x[:50], axis=2) for x in (found, known)]
    assert np.abs(pairs[0] - pairs[1]).max() < 0.1
    assert np.allclose(looks.centre, codes.mean.mean(axis=0))


@pytest.fixture(scope="module")
def some():
    """A model, its codes and domains, looks of them, and now."""
    model = SharedMixing(RotatedCouplings(KEY, 3, couplings=1, width=4), TailSCM(KEY, 3, 1, 2))
    z, d = jnp.asarray(points(0, 80)), jnp.asarray(np.arange(80) % 2)
    return model, z, d, Appearance(KEY, points(1), 4)


def loss(weights, some, done=1.0, match=None):
    model, z, d, looks = some
    held = NegativeLikelihood(NONE, NONE, 0.15, ((0, 1),), *weights, looks, match)
    return float(held.of_codes(model, Now(KEY, jnp.asarray(done)), z, d))


def moved(some):
    """(looks before, looks after, domains) of the quarter of codes that is moved."""
    model, z, d, looks = some
    few, own = z[:20], d[:20]
    return looks(few), looks(model.codes(model.noise(few, own)[0], 1 - own)[0]), own


def test_distances_weigh_as_much_as_they_change(some):
    before, after, own = moved(some)
    bent = float(distortion(before, after, own))
    assert bent > 0
    found = loss(((3.0, 3.0), NONE), some) - loss((NONE, NONE), some)
    assert found == pytest.approx(3 * bent, rel=1e-4)


@pytest.mark.parametrize("done", [0.0, 1.0])
def test_a_match_weighs_from_the_first_step(some, done):
    before, after, own = moved(some)
    anchors = jnp.stack([before, after])
    match = Match(((0, 1), (1, 0)), anchors, anchors + 1)
    missed = float(match.miss(before, after, own, 1 - own))
    assert missed > 0
    found = loss((NONE, (2.0, 1.0)), some, done, match) - loss((NONE, NONE), some, done)
    assert found == pytest.approx((2 - done) * missed, rel=1e-4)


def test_distances_need_images():
    codes = ImageCodes(points(0, 20).astype(np.float32), np.zeros((20, 3), np.float32))
    for settings in (FAR, FlowSettings(distances=(1.0, 1.0)), FlowSettings(matching=(1.0, 1.0))):
        with pytest.raises(ValueError, match="images must be given where distances or matching"):
            fit_codes(KEY, codes, np.arange(20) % 2, k=1, settings=settings)


def test_a_weight_of_distances_changes_the_fit_and_none_asks_for_no_images():
    rng, n = np.random.default_rng(0), 300
    images, domains = squares(2 * n)[0], np.repeat([0, 1], n)
    mean = (rng.standard_normal((2 * n, 3)) + domains[:, None]).astype(np.float32)
    codes = ImageCodes(mean, np.full((2 * n, 3), -6, np.float32))
    plain = FlowSettings(couplings=1, width=4, steps=20, batch=64)
    cases = (plain, None), (plain, images), (replace(plain, distances=(9.0, 9.0)), images)
    answers = [
        fit_codes(KEY, codes, domains, k=1, settings=settings, images=given).move(
            mean[:5], d=0, d_prime=1
        )
        for settings, given in cases
    ]
    assert np.array_equal(answers[0], answers[1])
    assert not np.array_equal(answers[0], answers[2])
