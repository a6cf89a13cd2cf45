"""Covariates tell of missing entries in rows that are asked about, and go together with pairs."""

import json

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.fitting import Pairs

N = 200
EFFECT = np.array([[2.0, 1.0, -1.0]])
OFFSET = np.array([0.0, 1.0, -1.0])


def patients(rng, n, shown):
    """(age, rows in both sites, their sites): what is not age varies little."""
    age, own = rng.normal(size=n), 0.3 * rng.normal(size=(n, 3))
    site = np.where(rng.random(n) < shown, "b", "a")
    a = age[:, None] * EFFECT + own
    return pd.DataFrame({"age": age}), {"a": a, "b": a + OFFSET}, site


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    C, sites, site = patients(rng, 2 * N, 0.5)
    X = np.where((site == "a")[:, None], sites["a"], sites["b"])
    return np.where(rng.random(X.shape) < 0.1, np.nan, X), site, C, sites


@pytest.fixture(scope="module")
def fitted(table):
    X, site, C, _ = table
    return DomainCounterfactual(mixing="moments", links="identity").fit(X, site, covariates=C)


def test_what_is_filled_follows_age(fitted, table):
    X, site, C, sites = table
    asked = X.copy()
    asked[:50, :] = np.nan  # only age is left to tell
    filled = fitted.counterfactual(asked, site, "a", covariates=C, fill=True)
    error = np.sqrt(((filled - sites["a"])[:50] ** 2).mean())
    assert error < 0.5  # 1.5 if age were not looked at
    kept = fitted.counterfactual(asked, site, "a", covariates=C)
    np.testing.assert_array_equal(np.isnan(kept), np.isnan(asked))


def test_the_density_of_a_row_with_gaps_is_that_of_what_is_there(fitted, table):
    _, site, C, sites = table
    whole = sites["a"][:5]
    one = np.where([True, False, False], whole, np.nan)
    found = fitted.log_prob(one, ["a"] * 5, covariates=C[:5])
    left = (whole - C[:5].to_numpy() * EFFECT)[:, 0]
    truth = -0.5 * (left / 0.3) ** 2 - np.log(0.3 * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(found, truth, atol=0.5)


def test_a_saved_model_fills_alike_and_an_older_one_says_what_to_do(fitted, table, tmp_path):
    X, site, C, _ = table
    fitted.save(tmp_path / "model")
    again = DomainCounterfactual.load(tmp_path / "model")
    asked = {"source": site, "target": "a", "covariates": C, "fill": True}
    np.testing.assert_array_equal(
        again.counterfactual(X, **asked), fitted.counterfactual(X, **asked)
    )
    header, arrays = fitted._describe()
    header = json.loads(json.dumps(header))
    del header["gaps_given_covariates"]
    assert DomainCounterfactual._restore(header, arrays)[1]["gaps_"] is None


def test_a_new_domain_with_gaps(fitted, table, tmp_path):
    _, _, C, sites = table
    fitted.save(tmp_path / "model")
    model = DomainCounterfactual.load(tmp_path / "model")
    rng = np.random.default_rng(1)
    rows = np.where(rng.random(sites["a"].shape) < 0.2, np.nan, sites["a"] + 3.0)
    model.add_domain(rows, "c", covariates=C)
    back = model.counterfactual(sites["a"] + 3.0, "c", "a", covariates=C)
    assert np.sqrt(((back - sites["a"]) ** 2).mean()) < 0.2


@pytest.fixture(scope="module")
def confounded():
    """Site b has the old, so that unpaired rows tell little of its offset."""
    rng = np.random.default_rng(2)
    C, sites, _ = patients(rng, 60, 0.5)
    site = np.where(C["age"] + 0.1 * rng.normal(size=60) > 0, "b", "a")
    X = np.where((site == "a")[:, None], sites["a"], sites["b"])
    seen, both, _ = patients(rng, 12, 0.5)
    return X, site, C, sites, (seen, both)


def error(model, confounded):
    X, site, C, sites, _ = confounded
    moved = model.counterfactual(X, site, "a", covariates=C)
    return np.sqrt(((moved - sites["a"])[site == "b"] ** 2).mean())


def test_pairs_and_covariates_together(confounded):
    X, site, C, _, (seen, both) = confounded
    without = DomainCounterfactual(mixing="moments", links="identity").fit(X, site, covariates=C)
    pairs = ("a", "b", both["a"], both["b"], seen)
    model = DomainCounterfactual(mixing="moments", links="identity")
    model.fit(X, site, covariates=C, pairs=pairs)
    assert error(model, confounded) < 0.5 * error(without, confounded)
    again = DomainCounterfactual(mixing="moments", links="identity")
    again.fit(X, site, covariates=C, pairs=[Pairs(*pairs)])
    assert error(again, confounded) == error(model, confounded)


def test_pairs_calibrate_intervals_with_covariates(fitted):
    seen, both, _ = patients(np.random.default_rng(3), 200, 0.5)
    pairs = ("a", "b", both["a"][:100], both["b"][:100] + 0.5, seen[:100])
    asked = {"source": "a", "target": "b", "covariates": seen[100:], "pairs": pairs}
    low, high = fitted.interval(both["a"][100:], **asked)
    truth = both["b"][100:] + 0.5
    assert 0.8 < ((low <= truth) & (truth <= high)).mean() <= 1.0


def test_pairs_without_covariates_say_what_is_missing(fitted, table):
    X, site, C, sites = table
    pairs = ("a", "b", sites["a"], sites["b"])
    with pytest.raises(ValueError, match="pairs must have covariates"):
        DomainCounterfactual().fit(X, site, covariates=C, pairs=pairs)
    with pytest.raises(ValueError, match="pairs have covariates, but the fit keeps none"):
        DomainCounterfactual().fit(X, site, pairs=(*pairs, C))
    with pytest.raises(ValueError, match="pairs must have covariates"):
        fitted.interval(X, source="a", target="b", covariates=C, pairs=pairs)
