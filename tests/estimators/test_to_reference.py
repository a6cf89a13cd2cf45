"""The pipeline step: to one reference domain, without leaks, as scikit-learn asks."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from elsewhere import DomainCounterfactual, ToReference

MOMENTS = DomainCounterfactual(mixing="moments")


@parametrize_with_checks([ToReference(estimator=MOMENTS)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def hospitals():
    """Two classes told by one column; the second hospital adds 5 to every column."""
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 200)
    where = np.repeat(["a", "b"], 100)
    X = rng.standard_normal((200, 3)) + np.outer(ill, [3.0, 0, 0]) + 5.0 * (where == "b")[:, None]
    return pd.DataFrame(X, columns=["u", "v", "w"]), ill, where


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def step(**settings):
    moving = ToReference(estimator=MOMENTS, **settings)
    return moving.set_fit_request(sample_domain=True).set_transform_request(sample_domain=True)


def test_rows_of_the_reference_stay_and_others_come_to_it(hospitals):
    X, _, where = hospitals
    moved = ToReference("a", MOMENTS).fit_transform(X, sample_domain=where)
    pd.testing.assert_frame_equal(moved[where == "a"], X[where == "a"])
    assert np.abs(moved[where == "b"].mean() - X[where == "a"].mean()).max() < 0.5


def test_the_largest_domain_is_the_reference(hospitals):
    X, _, where = hospitals
    fitted = ToReference(estimator=MOMENTS).fit(X[20:], sample_domain=where[20:])
    assert fitted.reference_ == "b"
    assert list(fitted.get_feature_names_out()) == ["u", "v", "w"]


def test_a_classifier_of_one_hospital_works_in_the_other(hospitals, routing):
    X, ill, where = hospitals
    in_a, in_b = where == "a", where == "b"
    alone = LogisticRegression().fit(X[in_a], ill[in_a]).score(X[in_b], ill[in_b])
    moved = step(reference="a").fit_transform(X, sample_domain=where)
    ours = LogisticRegression().fit(moved[in_a], ill[in_a]).score(moved[in_b], ill[in_b])
    assert alone < 0.7 < 0.85 < ours


def test_searches_and_folds_hand_each_step_its_own_rows(hospitals, routing):
    X, ill, where = hospitals
    pipeline = make_pipeline(step(), LogisticRegression())
    search = GridSearchCV(pipeline, {"toreference__reference": ["a", "b"]}, cv=3)
    search.fit(X, ill, sample_domain=where)
    assert search.best_score_ > 0.85
    folds = GroupKFold(4)
    scores = cross_validate(
        pipeline,
        X,
        ill,
        cv=folds,
        params={"sample_domain": where, "groups": np.arange(200) // 10},
    )
    assert scores["test_score"].mean() > 0.85


@pytest.mark.fast
def test_a_reference_that_is_no_domain_is_refused(hospitals):
    X, _, where = hospitals
    with pytest.raises(ValueError, match=r"reference must be one of .* got 'c'"):
        ToReference("c", MOMENTS).fit(X, sample_domain=where)


def test_rows_without_a_domain_are_refused_where_domains_differ(hospitals):
    X, _, where = hospitals
    fitted = ToReference("a", MOMENTS).fit(X, sample_domain=where)
    with pytest.raises(ValueError, match="sample_domain must say where each row comes from"):
        fitted.transform(X)
