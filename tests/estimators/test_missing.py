"""Tables with missing values: fits, questions and files."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust.case import make_case

SITES = np.repeat(["a", "b"], 200)
RNG = np.random.default_rng(0)
WHOLE = pd.DataFrame(RNG.normal(size=(400, 1)) + RNG.normal(size=(400, 4)), columns=list("wxyz"))
WHOLE.loc[SITES == "b", ["w", "x"]] += 2.0
CUT = WHOLE.mask(RNG.random(WHOLE.shape) < 0.2)
CUT.loc[SITES == "b", "z"] = np.nan
ASK = {"source": SITES, "target": "b"}


def new():
    return DomainCounterfactual(mixing="moments")


@pytest.fixture(scope="module")
def est():
    return new().fit(CUT[["w", "x", "y"]], SITES)


def test_gaps_stay_gaps_and_seen_entries_move(est):
    X = CUT[["w", "x", "y"]]
    answer = est.counterfactual(X, **ASK)
    pd.testing.assert_frame_equal(answer.isna(), X.isna())
    moved = (answer - X)[SITES == "a"]
    assert moved["w"].mean() == pytest.approx(2.0, abs=0.3)
    pd.testing.assert_frame_equal(answer[SITES == "b"], X[SITES == "b"])


def test_gaps_are_filled_on_demand_with_what_is_expected(est):
    X = CUT[["w", "x", "y"]]
    filled = est.counterfactual(X, **ASK, fill=True)
    assert not filled.isna().any().any()
    gaps = X["w"].isna().to_numpy()
    truth = WHOLE["w"] + 2.0 * (SITES == "a")
    error = (filled["w"] - truth)[gaps].std()
    assert error < 0.95 * truth[gaps].std()  # what else is seen of a row tells something
    seen = X.notna().to_numpy()
    assert np.array_equal(filled.to_numpy()[seen], est.counterfactual(X, **ASK).to_numpy()[seen])


def test_rows_without_gaps_are_answered_as_if_alone(est):
    X = CUT[["w", "x", "y"]]
    whole = X.notna().all(axis=1).to_numpy()
    alone = est.counterfactual(X[whole], source=SITES[whole], target="b")
    pd.testing.assert_frame_equal(est.counterfactual(X, **ASK)[whole], alone)


def test_notes_say_how_much_was_missing_and_what_is_assumed(est):
    missing = int(CUT[["w", "x", "y"]].isna().sum().sum())
    assert any(f"{missing} of 1,200 entries" in note for note in est.notes_)
    assert any("missing at random" in note for note in est.notes_)


def test_a_column_never_seen_in_a_domain(tmp_path):
    est = new().fit(CUT, SITES)
    assert any("domain 'b' has no value of 'z'" in note for note in est.notes_)
    answer = est.counterfactual(WHOLE, **ASK)
    assert answer["z"][SITES == "a"].isna().all()
    filled = est.counterfactual(WHOLE, **ASK, fill=True)
    np.testing.assert_allclose(filled["z"], WHOLE["z"], atol=0.3)


def test_a_complete_table_can_be_asked_about_rows_with_gaps(tmp_path):
    est = new().fit(WHOLE, SITES)
    assert not any("missing" in note for note in est.notes_)
    again = DomainCounterfactual.load(est.save(tmp_path / "m.model"))
    answer = again.counterfactual(CUT, **ASK, fill=True)
    pd.testing.assert_frame_equal(answer, est.counterfactual(CUT, **ASK, fill=True))
    est.gaps_ = None
    with pytest.raises(ValueError, match="Fit it again, or leave such rows out"):
        est.counterfactual(CUT, **ASK)


def test_every_question_takes_gaps(est):
    X = CUT[["w", "x", "y"]]
    low, high = est.interval(X, **ASK)
    gaps = (X.isna().any(axis=1) & X["w"].notna()).to_numpy() & (SITES == "a")
    whole = X.notna().all(axis=1).to_numpy() & (SITES == "a")
    assert ((high - low)["w"][gaps] >= 0.999 * (high - low)["w"][whole].min()).all()
    assert np.isfinite(est.log_prob(X, SITES)).all()
    assert np.isfinite(est.abduct(X, SITES)).all()
    assert not est.complete(X, SITES).isna().any().any()


def test_the_density_of_what_is_seen_is_the_marginal_one():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4_000, 2)) @ np.array([[1.0, 0.0], [0.8, 0.6]]).T
    est = DomainCounterfactual(mixing="moments", links="identity").fit(x, np.arange(4_000) % 2)
    row = np.array([[0.5, np.nan]])
    expected = -0.5 * np.log(2 * np.pi) - 0.125
    assert est.log_prob(row, [0])[0] == pytest.approx(expected, abs=0.05)


def test_a_domain_with_gaps_is_added():
    est = new().fit(WHOLE, SITES)
    rng = np.random.default_rng(5)
    late = (WHOLE[:100] + 1.0).mask(rng.random((100, 4)) < 0.2)
    est.add_domain(late, "c")
    moved = est.counterfactual(late, source="c", target="a")
    pd.testing.assert_frame_equal(moved.isna(), late.isna())


def test_nullable_integers_keep_their_type_and_gaps():
    counts = pd.Series(RNG.poisson(9, 400)).astype("Int64").mask(RNG.random(400) < 0.1)
    X = WHOLE[["w"]].assign(n=counts)
    est = new().fit(X, SITES)
    answer = est.counterfactual(X, **ASK)
    assert answer["n"].dtype == "Int64"
    pd.testing.assert_series_equal(answer["n"].isna(), X["n"].isna())
    assert est.counterfactual(X, **ASK, fill=True)["n"].notna().all()


def test_what_is_judged_has_no_gaps(est):
    case = make_case(est, CUT[["w", "x", "y"]], SITES, 0)
    assert all(np.isfinite(rows).all() for rows in case.linked.values())
    assert not any(rows.isna().any().any() for rows in case.given.values())
