"""Numbers far from all others: answers are finite or refused, and a wild value is named."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.links import Link


def table(n=400, dtype=float):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 2))
    x[n // 2 :] += 1
    frame = pd.DataFrame({"real": x[:, 0], "positive": np.exp(2 * x[:, 1])}).astype(dtype)
    return frame, np.repeat(["north", "south"], n // 2)


def fitted(dtype=float, links="auto"):
    return DomainCounterfactual(mixing="moments", links=links).fit(*table(dtype=dtype))


def test_one_wild_value_is_named():
    X, sites = table()
    X.loc[17, "real"] = 1e12
    notes = DomainCounterfactual(mixing="moments").fit(X, sites).notes_
    (note,) = [n for n in notes if "row 17, column 'real' holds 1e+12" in n]
    assert "Correct it" in note
    assert not fitted().notes_


def test_heavy_tails_and_many_zeros_are_no_wild_values():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"t": rng.standard_t(3, 4000), "zeros": rng.exponential(size=4000)})
    X.loc[rng.random(4000) < 0.95, "zeros"] = 0.0
    est = DomainCounterfactual(mixing="moments").fit(X, np.repeat(["north", "south"], 2000))
    assert not [n for n in est.notes_ if "holds" in n]


@pytest.mark.parametrize("far", [50, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("column", ["real", "positive"])
def test_a_row_far_out_is_answered_finitely_or_refused(dtype, far, column):
    est = fitted(dtype, {"positive": "positive"})
    X = table(dtype=dtype)[0].iloc[:3].copy()
    X.loc[1, column] = X[column].mean() + far * X[column].std()
    answer, refusal = None, ""
    try:
        answer = est.counterfactual(X, source="north", target="south")
    except ValueError as error:
        refusal = str(error)
    if answer is None:
        assert "row 1" in refusal
        return
    assert np.isfinite(answer.to_numpy()).all()
    assert np.abs(answer.to_numpy()).max() < np.finfo(dtype).max


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64])
def test_an_answer_larger_than_its_type_overflows(dtype):
    y = np.array([0.0, 1e4])
    assert Link("log", 0.0).overflows(y, dtype).tolist() == [False, True]
    assert Link("logit", 0.0, 1.0).overflows(y, dtype).tolist() == [False, False]


def test_bounds_without_room_between_them_overflow():
    """high − low is infinite there, and infinity times 0 is no number."""
    link = Link("logit", -1.7e308, 1.7e308)
    assert link.overflows(np.array([-1e4]), np.float64).tolist() == [True]


def test_an_answer_that_saturates_is_refused_with_its_row():
    X, est = table()[0], fitted(links={"positive": "positive"})
    link = Link("log", 0.0)
    space = est.space_.__class__(est.space_.columns, (est.space_.links[0], link))
    with pytest.raises(ValueError, match="too large for float64 at row 2, column 'positive'"):
        space.inverse(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 1e4]]), X.iloc[:3])
    kept = space.inverse(np.array([[0.0, 1e4]]), X.iloc[:1], np.array([[True, True]]))
    assert kept.equals(X.iloc[:1])


def test_a_domain_called_all_does_not_recurse():
    X, sites = table(40)
    est = DomainCounterfactual(mixing="moments")
    with pytest.raises(ValueError, match="must not be called 'all'"):
        est.fit(X, np.where(sites == "north", "all", sites))
    every = est.fit(X, sites).counterfactual(X, source=sites, target="all")
    assert sorted(every) == ["north", "south"]
