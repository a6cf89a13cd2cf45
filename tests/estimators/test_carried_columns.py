"""Columns that hold no amounts: set aside in Python as in the command, and back to the letter."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.to_reference import ToReference
from elsewhere.report import write_report
from elsewhere.trust import trust_report

N = 80
RNG = np.random.default_rng(5)
SITE = np.repeat(["a", "b"], N // 2)
X = pd.DataFrame(
    {
        "patient_id": np.arange(N) + 4_000,
        "name": [f"Zoë {i}" for i in range(N)],
        "site": SITE,
        "albumin": RNG.normal(40, 4, N) + 9 * (SITE == "b"),
        "smoker": RNG.random(N) < 0.5,
        "malignant": RNG.integers(0, 2, N),
        "stage": pd.Categorical(RNG.choice(["I", "II"], N), ["I", "II"], ordered=True),
        "visit": pd.date_range("2024-03-01", periods=N, tz="Europe/Berlin"),
        "postcode": [f"0{i:04}" for i in range(N)],
        "height": RNG.normal(170, 9, N),
        "nothing": None,
    }
)
AMOUNTS = ["albumin", "height"]
CARRIED = {
    "patient_id": "an identifier",
    "name": "no numbers",
    "site": "says the domain",
    "smoker": "true or false",
    "malignant": "two values",
    "stage": "categories",
    "visit": "dates or times",
    "postcode": "codes with leading zeros",
    "nothing": "no value",
}


def fitted(frame=X, **settings):
    domains = pd.Series(SITE, name="site")
    return DomainCounterfactual(mixing="moments", **settings).fit(frame, domains)


def test_what_holds_no_amounts_is_carried_and_listed():
    model = fitted()
    assert model.carried_ == CARRIED
    assert [*model.feature_names_in_] == AMOUNTS
    assert "'stage' (categories)" in model.notes_[0]
    assert "carried: dates or times" in model._repr_html_()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_it_comes_back_to_the_letter(kind):
    frame = {"pandas": X, "polars": pl.from_pandas(X), "arrow": pl.from_pandas(X).to_arrow()}[kind]
    answer = fitted(frame).counterfactual(frame, source=SITE, target="a")
    assert type(answer) is type(frame)
    if kind == "pandas":
        pd.testing.assert_frame_equal(answer.drop(columns=AMOUNTS), X.drop(columns=AMOUNTS))
        assert not answer["albumin"].equals(X["albumin"])
    for name in CARRIED:
        assert list(answer[name]) == list(frame[name]) or name == "nothing"


def test_amounts_move_as_without_the_others():
    alone = fitted(X[AMOUNTS]).counterfactual(X[AMOUNTS], source=SITE, target="a")
    model = fitted()
    pd.testing.assert_frame_equal(model.counterfactual(X, SITE, "a")[AMOUNTS], alone)
    pd.testing.assert_frame_equal(model.counterfactual(X[AMOUNTS], SITE, "a"), alone)
    low, high = model.interval(X, source=SITE, target="a")
    assert [*low.columns] == [*high.columns] == [*X.columns]
    assert {*model.counterfactual(X, SITE, "all")["b"].columns} == {*X.columns}
    assert model.abduct(X, SITE).shape == (N, 2)


def test_links_and_columns_say_what_else_is_modelled():
    assert "malignant" in fitted(links={"malignant": "levels"}).links_
    assert fitted(columns=["height"]).carried_["albumin"] == "not asked for"
    assert [*fitted(X[[*AMOUNTS, "malignant"]], columns="all").links_] == [*AMOUNTS, "malignant"]


def test_covariates_in_the_table_stay_as_they_are():
    kept = X[["height", "malignant"]]
    model = DomainCounterfactual(mixing="moments").fit(X, SITE, covariates=kept)
    assert model.carried_["height"] == "kept as a covariate"
    answer = model.counterfactual(X, SITE, "a", covariates=kept)
    pd.testing.assert_series_equal(answer["height"], X["height"])


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (["<0.1", *map(str, range(N - 1))], "numbers but for 1 of 80 cells: '<0.1' in row 0"),
        ([f"{i},5" for i in range(N)], "decimal commas"),
        ([Decimal(i) for i in range(N)], "must hold numbers only"),
    ],
)
def test_numbers_in_disguise_are_never_carried_in_silence(column, words):
    with pytest.raises(ValueError, match=words):
        fitted(X.assign(crp=column))


def test_requests_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="must have a column of amounts"):
        fitted(X[["name", "stage"]])
    with pytest.raises(ValueError, match=r"columns must be some of X's.*\['bmi'\]"):
        fitted(columns=["bmi"])
    with pytest.raises(ValueError, match="columns must be 'auto', 'all' or a list"):
        fitted(columns="some")
    with pytest.raises(ValueError, match="got an array"):
        fitted(X[AMOUNTS].to_numpy(), columns=["height"])


def test_a_saved_model_knows_them(tmp_path):
    model = fitted(columns=["albumin", "height"])
    again = DomainCounterfactual.load(model.save(tmp_path / "m.model"))
    assert again.carried_ == model.carried_
    assert again.columns == ["albumin", "height"]
    expected = model.counterfactual(X, SITE, "a")
    pd.testing.assert_frame_equal(again.counterfactual(X, SITE, "a"), expected)
    assert pickle.loads(pickle.dumps(model)).carried_ == model.carried_


def test_trust_and_report_take_the_whole_table(tmp_path):
    model = fitted()
    assert trust_report(model, X, SITE, planted=False).case_mix is not None
    assert write_report(model, X, SITE, tmp_path / "report.html").exists()


def test_a_step_of_a_pipeline_carries_them():
    step = ToReference("a").fit(X, sample_domain=SITE)
    moved = step.transform(X, sample_domain=SITE)
    pd.testing.assert_frame_equal(moved.drop(columns=AMOUNTS), X.drop(columns=AMOUNTS))
    assert [*step.get_feature_names_out()] == [*X.columns]


VALUES = st.one_of(
    st.text(st.characters(categories=["L", "P", "Zs"]), min_size=1, max_size=5),
    st.booleans(),
    st.none(),
    st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(VALUES, min_size=N, max_size=N), st.sampled_from([object, "category"]))
def test_whatever_is_carried_is_never_touched(values, dtype):
    frame = X[AMOUNTS].assign(extra=pd.Series(values, dtype=object).astype(dtype))
    answer = fitted(frame).counterfactual(frame, SITE, "b")
    pd.testing.assert_series_equal(answer["extra"], frame["extra"])
