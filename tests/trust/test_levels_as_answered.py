"""A column of levels moves where the answer names another level, and not before."""

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.trust.case import Case, make_case
from elsewhere.trust.correction import correction
from elsewhere.trust.moves import moves


def clinics(shift: float, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A grade of three levels, whose score is higher in the second clinic, and a length."""
    rng = np.random.default_rng(seed)
    domains = np.repeat(["here", "there"], 600)
    score = rng.normal(size=1200) + np.where(domains == "there", shift, 0.0)
    grade = np.digitize(score, [-0.8, 0.8])
    return pd.DataFrame({"grade": grade, "length": rng.normal(size=1200)}), domains


@pytest.fixture(scope="module", params=[0.4, 2.0])
def case(request: pytest.FixtureRequest) -> Case:
    X, domains = clinics(request.param)
    fitted = DomainCounterfactual(mixing="moments", links={"grade": "levels"}).fit(X, domains)
    return make_case(fitted, X, domains, 0)


def test_the_rows_judged_are_the_answers(case: Case) -> None:
    for pair in case.pairs:
        answer = case.estimator.counterfactual(case.given[pair[0]], source=pair[0], target=pair[1])
        assert np.allclose(case.moved[pair], case.estimator.to_link_space(answer))


def test_a_shift_within_levels_is_no_move(case: Case) -> None:
    pair = ("here", "there")
    answer = case.estimator.counterfactual(case.given["here"], source="here", target="there")
    changed = (answer["grade"] != case.given["here"]["grade"]).any()
    found = {(m.source, m.target, m.column): m.size for m in moves(case).moves}
    assert (found[*pair, "grade"] > 1e-9) == changed


def test_what_is_left_of_a_shift_within_levels_is_seen() -> None:
    X, domains = clinics(0.4)
    fitted = DomainCounterfactual(mixing="moments", links={"grade": "levels"}).fit(X, domains)
    asked = make_case(fitted, X, domains, 0)
    answer = fitted.counterfactual(asked.given["here"], source="here", target="there")
    assert (answer["grade"] == asked.given["here"]["grade"]).all()
    assert correction(asked).verdict.level != "good"


@pytest.mark.parametrize("carried", [0.5, 1.0])
def test_rows_that_move_as_a_whole_have_scores_of_levels_too(carried: float) -> None:
    X, domains = clinics(0.4)
    age = pd.DataFrame({"age": np.random.default_rng(1).normal(size=len(X))})
    fitted = DomainCounterfactual(mixing="moments", links={"grade": "levels"})
    fitted.fit(X, domains, covariates=age, carried=carried)
    asked = make_case(fitted, X, domains, 0, covariates=age)
    for pair, rows in asked.carried.items():
        link, y = fitted.space_.links[0], asked._put_in(pair, rows)[:, 0]
        assert np.allclose(link.forward(link.inverse(y)), y)
