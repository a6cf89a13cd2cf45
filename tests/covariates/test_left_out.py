"""A column that nobody kept is named where it explains what domains differ by."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.covariates.left_out import LeftOut, in_words, left_out
from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust import trust_report


def hospitals(seed=0, *, by="who is in it", n=400):
    """(rows, site, ill): sites differ in who is in them, in an offset, or in nothing."""
    rng = np.random.default_rng(seed)
    site = np.repeat([0, 1], n // 2)
    uneven = by == "who is in it"
    ill = rng.random(n) < (np.where(site, 0.8, 0.2) if uneven else 0.5)
    rows = rng.normal(size=(n, 3)) + (2.0 * ill[:, None] if by != "nothing" else 0.0)
    return rows + (1.5 * site[:, None] if by == "an offset" else 0.0), site, ill


def test_a_diagnosis_that_sites_have_more_of_is_named():
    rows, site, ill = hospitals()
    (found,) = left_out(pd.DataFrame({"ill": ill}), rows, site)
    assert found.name == "ill"
    assert found.share > 0.9
    assert "ill (9" in in_words((found,), "site")


@pytest.mark.parametrize("by", ["an offset", "nothing"])
def test_a_diagnosis_that_sites_have_alike_is_not(by):
    rows, site, ill = hospitals(by=by)
    assert left_out(pd.DataFrame({"ill": ill}), rows, site) == ()


def test_text_numbers_and_whole_numbers_are_looked_at():
    rows, site, ill = hospitals()
    rng = np.random.default_rng(1)
    stage = np.where(ill, "late", "early")
    age = np.round(50 + 10 * ill + rng.normal(0, 5, 400))
    found = left_out(pd.DataFrame({"stage": stage, "age": age}), rows, site)
    assert [one.name for one in found] == ["stage", "age"]
    assert found[0].share > found[1].share > 0.2


def test_what_is_the_domain_identifies_rows_or_has_gaps_is_left_alone():
    rows, site, ill = hospitals()
    frame = pd.DataFrame(
        {
            "hospital": np.where(site, "south", "north"),
            "patient": np.arange(400),
            "name": [f"p{i}" for i in range(400)],
            "gap": np.where(np.arange(400) == 3, np.nan, ill.astype(float)),
            "day": pd.date_range("2020-01-01", periods=400),
            "same": 1,
        }
    )
    assert left_out(frame, rows, site) == ()


def test_little_is_not_worth_a_word():
    assert in_words((LeftOut("age", 0.1),), "site") == ""


@pytest.mark.parametrize("by", ["who is in it", "an offset"])
def test_the_answer_is_with_care_where_it_may_be_who_is_in_it(by):
    rows, site, ill = hospitals(by=by, n=600)
    model = DomainCounterfactual(mixing="moments", links="identity").fit(rows, site)
    beside = pd.DataFrame({"ill": ill})
    found = trust_report(model, rows, site, planted=False, beside=beside)
    plain = trust_report(model, rows, site, planted=False)
    assert plain.case_mix is None
    if by == "an offset":
        assert found.case_mix.verdict.level == "good"
        assert found.decision.answer == plain.decision.answer == "yes"
    else:
        assert found.case_mix.verdict.level == "bad"
        assert found.decision.answer == "with care"
        assert "--keep ill" in found.decision.reasons[0].verdict.remedy


def test_rows_beside_are_found_by_their_index():
    rows, site, ill = hospitals()
    X = pd.DataFrame(rows, columns=list("abc"), index=np.arange(1, 401))
    model = DomainCounterfactual(mixing="moments", links="identity").fit(X, site)
    some = pd.DataFrame({"ill": ill}, index=X.index)[::2]
    found = trust_report(model, X, site, planted=False, beside=some).case_mix
    assert [one.name for one in found.columns] == ["ill"]
