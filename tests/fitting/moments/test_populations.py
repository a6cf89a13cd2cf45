"""Effects along directions: shrunken as the population they come from demands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments.populations import populations, shrink_along

pytestmark = pytest.mark.fast


def drawn(seed, variances, growth, size, rows=40):
    """True effects of one size times λ^{γ/2}, and what chance makes of them."""
    rng = np.random.default_rng(seed)
    errors = (2 / rows * variances)[None]
    truth = np.sqrt(size * variances**growth) * rng.standard_normal((1, len(variances)))
    return truth, truth + np.sqrt(errors) * rng.standard_normal(truth.shape), errors


@pytest.mark.parametrize("one_size", [False, True])
def test_every_population_is_a_distribution(one_size):
    assert (populations(7, one_size) >= 0).all()
    np.testing.assert_allclose(populations(7, one_size).sum(axis=1), 1.0)


def test_with_one_size_the_few_directions_help_each_other_more():
    variances, ours, one = np.ones(8), [], []
    for seed in range(200):
        truth, b, errors = drawn(seed, variances, 0.0, 2.0, rows=3)
        for errs, one_size in ((ours, False), (one, True)):
            means = shrink_along(b, errors, variances, one_size=one_size).means
            errs.append(((means - truth) ** 2).mean())
    assert np.mean(one) < np.mean(ours)


@pytest.mark.parametrize("growth", [0.0, 1.0])
def test_no_worse_than_taking_estimates_as_they_are(growth):
    variances = np.geomspace(300, 0.01, 30)
    ours, plain = [], []
    for seed in range(30):
        truth, b, errors = drawn(seed, variances, growth, 0.5)
        means = shrink_along(b, errors, variances).means
        ours.append(((means - truth) ** 2 / errors).mean())
        plain.append(((b - truth) ** 2 / errors).mean())
    assert np.mean(ours) < np.mean(plain)


def test_a_direction_that_hardly_tells_follows_those_that_do():
    """Where all others differ by several errors, one that seems not to is hardly shrunken."""
    variances = np.geomspace(300, 0.01, 30)
    errors = (0.05 * variances)[None]
    b = np.random.default_rng(0).choice([-1, 1], 30) * np.sqrt(errors) * 6
    b[0, 0] = np.sqrt(errors[0, 0])
    means = shrink_along(b, errors, variances).means
    assert means[0, 0] > 0.6 * b[0, 0]
    alone = shrink_along(b[:, :1], errors[:, :1], variances[:1]).means
    assert alone[0, 0] < 0.5 * b[0, 0]


def test_intervals_cover_as_often_as_they_say():
    variances, inside = np.geomspace(100, 0.1, 20), []
    for seed in range(60):
        truth, b, errors = drawn(seed, variances, 1.0, 0.5)
        found = shrink_along(b, errors, variances)
        means, spread = found.means, found.variances
        inside.append(np.abs(means - truth) <= 1.645 * np.sqrt(spread))
    assert 0.86 < np.mean(inside) < 0.95


@given(st.integers(0, 99), st.floats(1e-3, 1e3))
def test_signs_and_bounds(seed, size):
    variances = np.geomspace(10, 0.1, 6)
    _, b, errors = drawn(seed, variances, 0.5, size)
    found = shrink_along(b, errors, variances)
    means, spread = found.means, found.variances
    assert (np.abs(means) <= np.abs(b)).all()
    assert (means * b >= 0).all()
    assert (spread >= 0).all()
    assert np.isfinite(spread).all()
    np.testing.assert_allclose(shrink_along(-b, errors, variances).means, -means)


def test_hundreds_of_errors_do_not_overflow():
    b, errors = np.full((2, 3), 1e3), np.full((2, 3), 1e-3)
    means = shrink_along(b, errors, np.ones(3)).means
    np.testing.assert_allclose(means, b, rtol=1e-4)


def test_no_direction_no_effect():
    none = np.zeros((1, 0))
    assert shrink_along(none, none, np.zeros(0)).means.shape == (1, 0)


def test_evidence_and_precisions_are_those_of_the_averaged_density():
    """d log p(b)/db = −E[1/(ψ + v)] b, for a mixture of normals about 0."""
    variances = np.geomspace(10, 0.1, 5)
    _, b, errors = drawn(3, variances, 0.5, 0.5)
    found, step = shrink_along(b, errors, variances), 1e-5
    for j in range(5):
        nudge = step * (np.arange(5) == j)
        up, down = (shrink_along(b + s * nudge, errors, variances).evidence for s in (1, -1))
        assert (up - down) / (2 * step) == pytest.approx(
            -found.precisions[0, j] * b[0, j], rel=1e-4
        )
