"""Over- and under-correction, where both are known."""

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust.case import make_case
from elsewhere.trust.correction import correction


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    site = np.repeat(["a", "b"], 300)
    X = rng.normal(size=(600, 3)) + np.where(site == "b", 2.0, 0.0)[:, None] * [1, 1, 0]
    model = DomainCounterfactual(mixing="moments", links="identity").fit(X, site)
    return make_case(model, X, site, 0)


def scaled(case, factor, third=1.0):
    """The case with offsets so many times as large, and some in the third column."""
    model = case.estimator.result_.model
    means = factor * model.offsets.means
    means[:, 2] = third * np.array([-0.5, 0.5]) if third != 1 else means[:, 2]
    changed = replace(model, offsets=replace(model.offsets, means=means))
    result = case.estimator.result_
    candidate = replace(result.candidates[0], model=changed)
    other = DomainCounterfactual.of_fitted(case.estimator)
    other.result_ = replace(result, candidates=(candidate,))
    return replace(case, estimator=other)


def test_a_right_model_closes_the_gaps(case):
    found = correction(case)
    assert found.gaps == 4
    assert found.under < 0.05
    assert found.over < 0.05
    assert found.made == 0
    assert found.verdict.level == "good"


@pytest.mark.parametrize(("factor", "under", "over"), [(0.5, 0.5, 0.0), (1.5, 0.0, 0.5)])
def test_half_a_correction_and_one_and_a_half(case, factor, under, over):
    found = correction(scaled(case, factor))
    assert found.under == pytest.approx(under, abs=0.06)
    assert found.over == pytest.approx(over, abs=0.06)
    assert found.verdict.level == "caution"


def test_a_gap_that_was_made_is_told(case):
    found = correction(scaled(case, 1.0, third=2.0))
    assert found.made == 1.0
    assert "without a gap" in found.verdict.words
