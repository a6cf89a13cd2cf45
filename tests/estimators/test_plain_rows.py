"""The short way of plain numbers answers as the long way does, to the bit, or not at all."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual, plain_rows, table_questions
from elsewhere.estimators.plain_rows import PlainRows, takes_plain_rows
from fitted import estimator_with, table_of, true_model


@pytest.fixture(scope="module")
def leaky():
    rows, sites = table_of(true_model())
    return estimator_with(rows, true_model(), true_model(seed=3)), rows, sites


@pytest.fixture(scope="module")
def by_moments():
    rng = np.random.default_rng(0)
    sites = rng.choice(["north", "south", "west"], 400)
    rows = pd.DataFrame(rng.standard_normal((400, 3)), columns=list("abc"))
    rows = rows.add(3.0 * (sites == "south"), axis=0)
    return DomainCounterfactual(mixing="moments", links="identity").fit(rows, sites), rows, sites


@pytest.mark.parametrize("name", ["leaky", "by_moments"])
@pytest.mark.parametrize("block", [64, 8_192])
def test_both_ways_give_the_same_bits(name, block, request, monkeypatch):
    estimator, rows, sites = request.getfixturevalue(name)
    monkeypatch.setattr(plain_rows, "BLOCK", block)
    rows = rows.set_axis(np.arange(len(rows))[::-1])
    targets = np.random.default_rng(1).choice(estimator.domains_, len(rows))
    assert takes_plain_rows(estimator)
    short = estimator.counterfactual(rows, sites, targets)
    monkeypatch.setattr(table_questions, "is_plain", lambda X: False)
    long = estimator.counterfactual(rows, sites, targets)
    if block > len(rows):
        pd.testing.assert_frame_equal(short, long, check_exact=True)
    np.testing.assert_allclose(short, long, rtol=1e-12)
    pd.testing.assert_frame_equal(short[sites == targets], rows[sites == targets])


def test_it_leaves_gaps_and_far_numbers_to_the_long_way(leaky):
    estimator, rows, _ = leaky
    x, codes = rows.to_numpy(), np.zeros(len(rows), int)
    for value in (np.nan, np.inf, 1e200):
        odd = x.copy()
        odd[5, 1] = value
        assert PlainRows(estimator)(odd, codes, codes + 1) is None
    with pytest.raises(ValueError, match="infinite"):
        estimator.counterfactual(rows.assign(b=np.inf), "Ash", "Birch")


def test_bounded_columns_take_the_long_way():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.exponential(size=200), "b": rng.standard_normal(200)})
    estimator = DomainCounterfactual(mixing="moments").fit(rows, np.repeat(["x", "y"], 100))
    assert not takes_plain_rows(estimator)
