"""Conformal intervals: exact counts, coverage, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.evaluation.conformal import calibrate, coverage, pairs_needed


def residuals(rng, n, m=2):
    return rng.standard_normal((n, m)), rng.standard_normal((n, m))


@given(st.integers(9, 60), st.sampled_from([0.5, 0.8, 0.9]), st.floats(1e-6, 1e6))
def test_the_radius_is_the_stated_order_statistic(p, level, unit):
    rng = np.random.default_rng(p)
    guess, noise = residuals(rng, p)
    found = calibrate(unit * guess, unit * (guess + noise), level=level)
    rank = int(np.ceil((p + 1) * level - 1e-9))
    np.testing.assert_allclose(found.radius, unit * np.sort(np.abs(noise), 0)[rank - 1], rtol=1e-6)


@pytest.mark.parametrize(("level", "least"), [(0.5, 1), (0.8, 4), (0.9, 9), (0.95, 19)])
def test_the_fewest_pairs(level, least):
    assert pairs_needed(level) == least
    rng = np.random.default_rng(0)
    assert calibrate(*residuals(rng, least), level=level).count == least
    if least > 1:
        with pytest.raises(ValueError, match=f"at least {least} held-out pairs; got {least - 1}"):
            calibrate(*residuals(rng, least - 1), level=level)


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_coverage_is_nominal_on_average(joint, scaled):
    rng, inside = np.random.default_rng(1), []
    for _ in range(300):
        guess = rng.standard_normal((80, 3))
        spread = rng.exponential(size=guess.shape)
        truth = guess + (spread + 0.2) * rng.standard_normal(guess.shape) * [1, 2, 5]
        known, new = slice(0, 40), slice(40, 80)
        scale = spread if scaled else None
        found = calibrate(
            guess[known], truth[known], scale=scale if scale is None else scale[known], joint=joint
        )
        low, high = found.around(guess[new], None if scale is None else scale[new])
        within = (low <= truth[new]) & (truth[new] <= high)
        inside.append(within.all(axis=1).mean() if joint else within.mean())
    assert 0.89 < np.mean(inside) < 0.94


def test_an_informative_scale_makes_intervals_follow_it():
    rng = np.random.default_rng(2)
    guess = np.zeros((300, 2))
    scale = np.stack([rng.exponential(size=300), rng.exponential(size=300)], axis=1)
    truth = np.stack([scale[:, 0], np.ones(300)], axis=1) * rng.standard_normal((300, 2))
    found = calibrate(guess, truth, scale=scale)
    assert found.centre[0] > 0
    assert found.centre[1] == 0
    low, high = found.around(np.zeros((2, 2)), np.array([[0.1, 0.1], [3.0, 3.0]]))
    width = high - low
    assert width[1, 0] > 2 * width[0, 0]
    assert width[1, 1] == width[0, 1]


def test_too_few_pairs_to_set_any_apart_leave_the_scale_out():
    rng = np.random.default_rng(3)
    guess, truth = residuals(rng, 10)
    found = calibrate(guess, truth, scale=np.ones((10, 2)))
    assert found.count == 10
    assert not found.centre.any()


def test_coverage_counts_rows_inside():
    low, high = np.zeros((2, 1)), np.ones((2, 1))
    np.testing.assert_array_equal(coverage(low, high, [[0.5], [2.0]]), [0.5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": 1.0}, "level must lie between 0 and 1; got 1.0"),
        ({"observed": np.zeros((20, 3))}, r"observed must be finite, of shape \[rows, 2\]"),
        ({"observed": np.zeros((19, 2))}, "must have the same rows; got 20, 19"),
        ({"prediction": np.full((20, 2), np.nan)}, "prediction must be finite"),
    ],
)
def test_bad_input(arguments, message):
    good = {"prediction": np.zeros((20, 2)), "observed": np.ones((20, 2))}
    with pytest.raises(ValueError, match=message):
        calibrate(**(good | arguments))


def test_intervals_with_a_scale_ask_for_it():
    rng = np.random.default_rng(4)
    scale = rng.exponential(size=(90, 1))
    found = calibrate(np.zeros((90, 1)), scale * rng.standard_normal((90, 1)), scale=scale)
    with pytest.raises(ValueError, match="scale must be given"):
        found.around(np.zeros((1, 1)))
