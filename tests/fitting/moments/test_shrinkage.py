"""Effects shrunken towards none: as much as noise demands, and no more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from elsewhere.fitting.moments import shrinkage
from elsewhere.fitting.moments.shrinkage import blocks, shrink, shrink_columns


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


@given(count=st.integers(0, 400))
def test_blocks_cover_every_direction_once(count):
    cut = blocks(count)
    places = [i for one in cut for i in range(count)[one]]
    assert places == list(range(count))
    widths = [one.stop - one.start for one in cut]
    assert widths[:4] == [1] * min(4, count)
    assert all(a <= b for a, b in zip(widths[:-2], widths[1:-1], strict=True))


@pytest.mark.parametrize("error", [1e-3, 1.0, 30.0])
def test_noise_alone_is_shrunken_to_nearly_nothing(error):
    b = np.sqrt(error) * normal(0, 2, 3_000)
    means, variances = shrink_columns(b, np.full(b.shape, error))
    assert (means**2).mean() < 0.01 * error
    assert variances.mean() < 0.02 * error


def test_huge_effects_are_left_alone():
    error = 1e-4
    effects = np.random.default_rng(1).choice([-1, 1], (1, 200)) * (1 + 10 * normal(2, 1, 200) ** 2)
    b = effects + np.sqrt(error) * normal(3, 1, 200)
    means, variances = shrink_columns(b, np.full(b.shape, error))
    np.testing.assert_allclose(means, b, rtol=1e-3)
    np.testing.assert_allclose(variances, error, rtol=0.05)


def test_the_few_that_differ_are_told_from_the_many():
    truth = np.zeros((1, 2_000))
    truth[:, :100] = 2.0 * normal(3, 1, 100)
    b = truth + 0.3 * normal(4, 1, 2_000)
    means, variances = shrink_columns(b, np.full(b.shape, 0.09))
    assert ((means - truth) ** 2).mean() < 0.15 * ((b - truth) ** 2).mean()
    covered = np.abs(means - truth) <= 1.645 * np.sqrt(variances)
    assert covered.mean() > 0.9  # over all that were drawn, as Bayes has it


@given(psi=st.floats(1e-3, 1e2), error=st.floats(1e-4, 1e2), seed=st.integers(0, 99))
def test_one_known_size_is_the_closed_form(psi, error, seed):
    b = normal(seed, 2, 5)
    v = error * (1 + normal(seed + 1, 2, 5) ** 2)
    weights, sizes = np.array([1.0]), np.array([psi])
    mean, variance = shrinkage._posterior(b, v, weights, sizes)
    np.testing.assert_allclose(mean, psi / (psi + v) * b, rtol=1e-12)
    np.testing.assert_allclose(variance, psi * v / (psi + v), rtol=1e-9)
    assert (variance <= v * (1 + 1e-12)).all()


@given(seed=st.integers(0, 99), psi=st.floats(1e-3, 1e2), v=st.floats(1e-3, 1e1))
def test_the_gain_is_a_ratio_of_normal_densities(seed, psi, v):
    b = normal(seed, 4)
    expected = norm.logpdf(b, 0, np.sqrt(psi + v)) - norm.logpdf(b, 0, np.sqrt(v))
    found = shrinkage.log_gain(b, np.full(4, v), np.full(4, psi))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@given(
    a=st.integers(1, 3),
    p=st.integers(1, 12),
    seed=st.integers(0, 99),
    scale=st.floats(1e-3, 1e2),
)
def test_columns_are_blocks_of_one(a, p, seed, scale):
    b = scale * normal(seed, a, p)
    v = 0.1 + normal(seed + 1, a, p) ** 2
    means, variances = shrink_columns(b, v)
    each = shrink(list(b.T), list(v.T))
    np.testing.assert_allclose(means, np.transpose(each.means), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(variances, np.transpose(each.variances), rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 99), scale=st.floats(1e-3, 1e4))
def test_effects_only_shrink_and_keep_their_sign(seed, scale):
    b, v = scale * normal(seed, 1, 30), np.full((1, 30), 0.5)
    means, variances = shrink_columns(b, v)
    assert (np.abs(means) <= np.abs(b)).all()
    assert (means * b >= 0).all()
    assert (variances >= 0).all()
    np.testing.assert_allclose(shrink_columns(-b, v)[0], -means)


def test_probabilities_of_a_block_are_those_of_bayes():
    """One block whose shares are given by what is counted beforehand: a fixed point of EM."""
    gains = np.log(np.random.default_rng(0).uniform(0.1, 10, (6, shrinkage.SIZES)))
    weights = shrinkage._weights(gains)
    before = np.r_[shrinkage.UNCHANGED, np.full(shrinkage.SIZES, 1 / shrinkage.SIZES)]
    whole = np.c_[1 - weights.sum(axis=1), weights]
    shares = (whole.sum(axis=0) + before) / (6 + before.sum())
    bayes = shares * np.exp(np.c_[np.zeros(6), gains])
    np.testing.assert_allclose(whole, bayes / bayes.sum(axis=1, keepdims=True), atol=1e-4)


def test_evidence_beyond_floating_point_is_no_nan():
    b, v = np.array([[1e6, 0.0, 1e-9]]), np.full((1, 3), 1e-9)
    means, variances = shrink_columns(b, v)
    assert np.isfinite(means).all()
    assert np.isfinite(variances).all()
    assert means[0, 0] == pytest.approx(1e6, rel=1e-6)
