"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from elsewhere.estimators import DomainCounterfactual

EXEMPT = {
    "check_fit_score_takes_y": "the second argument of fit is called `domains`: it is no target",
}


@parametrize_with_checks(
    [DomainCounterfactual(mixing="moments")],  # the conventions are the same whatever the engine
    expected_failed_checks=lambda estimator: EXEMPT,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
