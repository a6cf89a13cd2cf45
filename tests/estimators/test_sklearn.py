"""scikit-learn's own checks of an estimator."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Options

SMALL = Options(starts=2, steps=2, parents=1, rounds=0, polish_steps=1, classes=1)
EXEMPT = {
    "check_fit_score_takes_y": "the second argument of fit is called `domains`: it is no target",
    "check_n_features_in_after_fitting": "has 5 rows a domain for 4 columns; m + 2 = 6 are needed",
}


@pytest.fixture(autouse=True)
def no_climbing(monkeypatch):
    """Fits stay at their first guess: a climb compiles for 5 s at each number of columns."""

    def stand(stack, *_):
        return stack, np.zeros(len(stack), int)

    monkeypatch.setattr("elsewhere.fitting.profile.axes.linear.climb", stand)
    monkeypatch.setattr("elsewhere.fitting.profile.refit.settle", lambda stack, *_: stack)


@parametrize_with_checks(
    [DomainCounterfactual(k=1, mixing="linear", options=SMALL)],
    expected_failed_checks=lambda estimator: EXEMPT,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
