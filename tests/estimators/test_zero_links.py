"""Columns with many zeros: a zero stays a zero, and amounts move by ratios."""

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.estimators.choose_links import choose_link
from elsewhere.estimators.zero_links import with_zeros


def costs(n=300, seed=0):
    """(rows, domains, cost in A): B has twice the cost and fewer zeros; age knows neither."""
    rng = np.random.default_rng(seed)
    domains = np.repeat(["A", "B"], n)
    spent = rng.random(2 * n) > np.repeat([0.6, 0.4], n)
    plain = np.where(spent, np.exp(rng.normal(5, 0.7, 2 * n)), 0.0)
    cost = plain * np.repeat([1.0, 2.0], n)
    age = rng.normal(50, 10, 2 * n)
    return pd.DataFrame({"cost": cost.round(2), "age": age}), domains, plain


@pytest.fixture(scope="module")
def fitted():
    X, domains, _ = costs()
    return DomainCounterfactual(mixing="moments").fit(X, domains)


def test_zeros_stay_and_amounts_move_by_ratios(fitted):
    X, domains, plain = costs()
    answer = fitted.counterfactual(X, domains, "A")["cost"]
    assert ((answer == 0) == (X["cost"] == 0)).all()
    moved = (domains == "B") & (plain > 0)
    np.testing.assert_allclose(answer[moved], plain[moved], rtol=0.35)
    ratio = np.median(answer[moved] / plain[moved])
    assert 0.8 < ratio < 1.25


@pytest.mark.fast
def test_it_is_listed_and_said(fitted):
    assert str(fitted.links_["cost"]).startswith("0, or above 0")
    (note,) = [note for note in fitted.notes_ if "'cost'" in note]
    assert "a 0 stays 0" in note
    assert not any("are missing" in note for note in fitted.notes_)


@pytest.mark.fast
def test_a_zero_stays_when_gaps_are_filled_and_in_every_interval(fitted):
    X = pd.DataFrame({"cost": [0.0, np.nan, 90.0], "age": [40.0, 41.0, np.nan]})
    answer = fitted.counterfactual(X, "B", "A", fill=True)
    assert answer["cost"][0] == 0
    assert answer["cost"][1] > 0
    assert answer.notna().all(axis=None)
    low, high = fitted.interval(X, source="B", target="A")
    assert (low["cost"][0], high["cost"][0]) == (0, 0)
    assert 0 < low["cost"][2] < high["cost"][2]
    assert fitted.complete(X, np.array(["B"] * 3))["cost"][0] == 0
    assert np.isfinite(fitted.log_prob(X, np.array(["B"] * 3))).all()


@pytest.mark.fast
def test_a_file_keeps_them(fitted, tmp_path):
    X, domains, _ = costs()
    loaded = DomainCounterfactual.load(fitted.save(tmp_path / "a.model"))
    assert loaded.links_ == fitted.links_
    pd.testing.assert_frame_equal(
        loaded.counterfactual(X, domains, "A"), fitted.counterfactual(X, domains, "A")
    )


@pytest.mark.fast
def test_counts_stay_whole_and_never_become_zero():
    rng = np.random.default_rng(1)
    visits = np.where(rng.random(400) < 0.5, 0, 1 + rng.poisson(9, 400))
    codes = np.repeat([0, 1], 200)
    link = choose_link("visits", visits.astype(float), codes, "auto")
    assert link.zeros
    assert link.whole
    y = link.forward(visits.astype(float))
    assert (np.isnan(y) == (visits == 0)).all()
    back = link.inverse(y[visits > 0] - 9.0, np.int64)
    assert back.min() == 1


@pytest.mark.fast
def test_what_is_zero_inflated():
    rng, codes = np.random.default_rng(2), np.repeat([0, 1], 500)
    amounts = np.exp(rng.normal(3, 1, 1000))
    many = np.where(rng.random(1000) < 0.3, 0.0, amounts)
    few = np.where(rng.random(1000) < 0.01, 0.0, amounts)
    small_counts = rng.poisson(0.7, 1000).astype(float)
    one_sided = np.where(codes == 0, 0.0, amounts)
    found = with_zeros(np.stack([many, few, small_counts, one_sided, amounts]), codes)
    assert found.tolist() == [True, False, False, False, False]


@pytest.mark.fast
def test_it_can_be_asked_for():
    X, domains, _ = costs(n=60)
    plain = DomainCounterfactual(links={"cost": "positive"}).plan(X, domains).links[0]
    assert not plain.zeros
    assert DomainCounterfactual(links={"cost": "zeros"}).plan(X, domains).links[0].zeros
    with pytest.raises(ValueError, match="'zeros', but the column holds -1"):
        DomainCounterfactual(links={"cost": "zeros"}).plan(X.replace(0.0, -1.0), domains)


@pytest.mark.parametrize("cost", [0.0, 90.0])
def test_a_site_of_one_row_does_not_make_zeros_amounts(cost):
    X, domains, plain = costs(100)
    one = pd.DataFrame({"cost": [cost], "age": [50.0]})
    X, domains = pd.concat([X, one], ignore_index=True), np.append(domains, "C")
    model = DomainCounterfactual(mixing="moments").fit(X, domains)
    assert model.links_["cost"].zeros
    assert not any("has no value" in note for note in model.notes_)
    answer = model.counterfactual(X, domains, "C")["cost"]
    assert ((answer == 0) == (X["cost"] == 0)).all()
    assert answer.notna().all()


def test_zeros_of_one_domain_only_are_no_zeros_that_stay():
    """A quarter of zeros in one domain and hardly any in the other: a 0 is not a 0 elsewhere."""
    rng = np.random.default_rng(8)
    amounts = rng.uniform(1, 4, 400)
    codes = np.repeat([0, 1], 200)
    some = np.where((rng.uniform(size=400) < 0.25) & (codes == 0), 0.0, amounts)
    both = np.where(rng.uniform(size=400) < 0.25, 0.0, amounts)
    assert with_zeros(np.stack([some, both]), codes).tolist() == [False, True]
