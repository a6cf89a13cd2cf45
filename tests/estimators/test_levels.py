"""Ordered levels: answers are levels, of the type they had."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual

SITES = np.repeat(["a", "b"], 300)
RNG = np.random.default_rng(0)
LATENT = RNG.normal(size=600) + 1.2 * (SITES == "b")
CODES = np.digitize(LATENT, [-0.5, 0.5, 1.5])
NAMES = np.array(["none", "low", "mid", "high"], object)
AMOUNT = LATENT + RNG.normal(size=600)
COLUMNS = {
    "text": (pd.Series(NAMES[CODES]), ("levels", *NAMES)),
    "ordered": (pd.Series(pd.Categorical(NAMES[CODES], list(NAMES), ordered=True)), "levels"),
    "whole": (pd.Series(CODES * 10), "levels"),
    "boolean": (pd.Series(CODES > 1), "levels"),
    "nullable": (pd.Series(CODES > 1).astype("boolean"), "levels"),
    "two words": (pd.Series(np.where(CODES > 1, "yes", "no")), "levels"),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_answers_are_levels_of_the_same_type(kind, tmp_path):
    column, spec = COLUMNS[kind]
    X = pd.DataFrame({"stage": column, "amount": AMOUNT})
    X.loc[X.index % 37 == 0, "stage"] = None if kind not in ("whole", "boolean") else X["stage"]
    est = DomainCounterfactual(mixing="moments", links={"stage": spec}).fit(X, SITES)
    answer = est.counterfactual(X, source=SITES, target="b")
    assert answer["stage"].dtype == X["stage"].dtype
    assert set(answer["stage"].dropna()) <= set(X["stage"].dropna())
    pd.testing.assert_series_equal(answer["stage"].isna(), X["stage"].isna())
    home = SITES == "b"
    pd.testing.assert_frame_equal(answer[home], X[home])
    order = {v: i for i, v in enumerate(est.space_.levels["stage"])}
    rank = pd.Series([order.get(v, np.nan) for v in answer["stage"]])
    before = pd.Series([order.get(v, np.nan) for v in X["stage"]])
    if len(order) > 2:  # one of two levels changes for all rows or for none
        assert rank[~home].mean() > before[~home].mean() + 0.1  # towards those of b
    again = DomainCounterfactual.load(est.save(tmp_path / "m.model"))
    pd.testing.assert_frame_equal(again.counterfactual(X, source=SITES, target="b"), answer)


def test_rows_that_are_drawn_have_levels():
    X = pd.DataFrame({"stage": NAMES[CODES], "amount": AMOUNT})
    links = {"stage": ("levels", *NAMES)}
    est = DomainCounterfactual(mixing="moments", links=links).fit(X, SITES)
    assert set(est.sample(20, domain="a", random_state=0)["stage"]) <= set(NAMES)
    assert str(est.links_["stage"]) == "4 ordered levels"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("levels", "nothing says their order"),
        (("levels", "low", "mid"), "must name all levels of the column; got"),
        (("levels", "low", "low"), "must name all levels|at least 2 different"),
    ],
)
def test_orders_that_cannot_be(spec, message):
    X = pd.DataFrame({"stage": NAMES[CODES], "amount": AMOUNT})
    with pytest.raises(ValueError, match=message):
        DomainCounterfactual(mixing="moments", links={"stage": spec}).fit(X, SITES)


def test_unknown_levels_are_named():
    X = pd.DataFrame({"stage": NAMES[CODES], "amount": AMOUNT})
    links = {"stage": ("levels", *NAMES)}
    est = DomainCounterfactual(mixing="moments", links=links).fit(X, SITES)
    with pytest.raises(ValueError, match="row 0, column 'stage' holds 'worst'"):
        est.counterfactual(X[:1].assign(stage="worst"), source="a", target="b")


def test_percentages_stay_within_their_bounds():
    share = np.clip(50 + 30 * RNG.normal(size=600), 0, 100)
    X = pd.DataFrame({"humidity": share, "fat %": share / 4, "share_pct": share / 2, "t": AMOUNT})
    est = DomainCounterfactual(mixing="moments").fit(X, SITES)
    bounded = [name for name, link in est.links_.items() if str(link) == "within 0 … 100"]
    assert bounded == ["humidity", "fat %", "share_pct"]
