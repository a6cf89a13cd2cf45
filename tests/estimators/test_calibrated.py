"""Intervals that pairs calibrate."""

import numpy as np
import pytest

from elsewhere import DomainCounterfactual

LEVEL, NOISE = 0.9, 0.5


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(120, 3)) + np.repeat([[0.0], [2.0], [1.0]], 40, axis=0)
    return DomainCounterfactual(mixing="moments").fit(rows, np.repeat(["a", "b", "c"], 40))


def standards(count, seed=1):
    """Samples of a, and what b measures of them, with noise that no unpaired row shows."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    return x, x + 2 + NOISE * rng.normal(size=x.shape)


def covered(fitted, x, y, source, target, **given):
    low, high = fitted.interval(x, source=source, target=target, level=LEVEL, **given)
    return ((low <= y) & (y <= high)).mean()


def test_hold_what_is_measured_in_either_direction(fitted):
    pairs, (x, y) = ("a", "b", *standards(200)), standards(500, seed=2)
    assert 0.85 < covered(fitted, x, y, "a", "b", pairs=pairs) < 0.96
    assert 0.85 < covered(fitted, y, x, "b", "a", pairs=pairs) < 0.96
    assert covered(fitted, x, y, "a", "b") < 0.7  # measurement noise cannot be known without pairs


def test_are_symmetric_about_the_answer_and_rows_of_the_target_stay(fitted):
    pairs, (x, _) = ("b", "a", *standards(20)[::-1]), standards(6)
    source = ["a", "a", "b", "a", "b", "a"]
    low, high = fitted.interval(x, source=source, target="b", pairs=pairs)
    np.testing.assert_allclose((low + high) / 2, fitted.counterfactual(x, source, "b"))
    stays = np.array(source) == "b"
    np.testing.assert_array_equal(low[stays], x[stays])
    assert np.unique((high - low)[~stays].round(9), axis=0).shape[0] == 1


def test_say_what_they_lack(fitted):
    x, y = standards(20)
    with pytest.raises(ValueError, match="'a' and in 'c'"):
        fitted.interval(x, source="a", target="c", pairs=("a", "b", x, y))
    with pytest.raises(ValueError, match="at least 9"):
        fitted.interval(x, source="a", target="b", pairs=("a", "b", x[:5], y[:5]))


def test_a_fit_that_keeps_covariates_has_none():
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(60, 2)), np.repeat(["a", "b"], 30)
    model = DomainCounterfactual(mixing="moments").fit(rows, labels, covariates=rows[:, :1])
    with pytest.raises(ValueError, match="covariates"):
        model.interval(rows[:30], source="a", target="b", pairs=("a", "b", rows[:9], rows[:9]))
