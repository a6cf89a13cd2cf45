"""Intervals: they hold the truth as often as they say, within each column's range."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.errors import AssumptionError
from elsewhere.estimators import DomainCounterfactual
from fitted import estimator_with, table_of, true_model
from table_data import FEATURES, table

SETTINGS = {"links": "identity", "mixing": "moments"}


def simulated(seed, rows=40, p=6):
    """Rows of two domains whose columns differ by offsets and scales, and the first's truth."""
    rng = np.random.default_rng(seed)
    mixed = np.eye(p) + 0.3 * rng.standard_normal((p, p))
    x, offset = rng.standard_normal((2 * rows, p)) @ mixed, rng.standard_normal(p)
    scale = np.exp(0.4 * rng.standard_normal(p))
    x[rows:] = x[rows:] * scale + offset
    return x, x[:rows] * scale + offset


def interval_of(x, level=0.9):
    rows, sites = len(x) // 2, np.repeat(["here", "there"], len(x) // 2)
    est = DomainCounterfactual(**SETTINGS).fit(x, sites)
    return est.interval(x[:rows], source="here", target="there", level=level)


def test_nine_in_ten_hold_the_truth():
    covered = []
    for seed in range(40):
        x, truth = simulated(seed)
        low, high = interval_of(x)
        covered.append(((low <= truth) & (truth <= high)).mean())
    assert 0.85 <= np.mean(covered) <= 0.97, np.mean(covered)


def test_a_higher_level_is_wider_and_the_answer_inside():
    x, _ = simulated(0)
    (low, high), (lower, higher) = (interval_of(x, level) for level in (0.5, 0.95))
    assert (lower < low).all()
    assert (higher > high).all()
    ratio = (higher - lower) / (high - low)
    np.testing.assert_allclose(ratio, 1.959964 / 0.674490, rtol=1e-5)


def test_at_home_nothing_is_unknown():
    x, _ = simulated(1)
    sites = np.repeat(["here", "there"], 40)
    est = DomainCounterfactual(**SETTINGS).fit(x, sites)
    low, high = est.interval(x, source=sites, target="there")
    np.testing.assert_array_equal(low[40:], x[40:])
    np.testing.assert_array_equal(high[40:], x[40:])
    assert (low[:40] < high[:40]).all()


def test_frames_come_back_as_frames_within_their_ranges():
    X, sites = table()[FEATURES], table()["site"]
    est = DomainCounterfactual(mixing="moments").fit(X, sites)
    low, high = est.interval(X, source=sites, target="south")
    pd.testing.assert_index_equal(low.index, X.index)
    pd.testing.assert_series_equal(high.dtypes, X.dtypes)
    assert (low["mass"] > 0).all()
    assert (low["count"] >= 0).all()
    assert (low <= high).to_numpy().all()
    answer = est.counterfactual(X, source=sites, target="south")
    assert ((low <= answer) & (answer <= high)).to_numpy().all()


def test_a_model_that_knows_no_errors_gives_no_interval():
    X, sites = table_of(true_model(), rows=20)
    est = estimator_with(X, true_model(seed=0), true_model(seed=1))
    question = {"source": sites, "target": "Cedar"}
    with pytest.raises(AssumptionError, match="does not know how far it may be off"):
        est.interval(X, **question)
    low, high = est.spread(X, **question)
    assert (high > low).to_numpy().any()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 90.0])
def test_the_level_is_a_probability(level):
    X, _ = simulated(0)
    est = DomainCounterfactual(**SETTINGS).fit(X, np.repeat([0, 1], 40))
    with pytest.raises(ValueError, match=r"level must be in 0\.\.1"):
        est.interval(X, source=0, target=1, level=level)
