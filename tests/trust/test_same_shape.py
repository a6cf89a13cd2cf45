"""Skewness of moved rows: what a fit of means and covariances leaves, it shows."""

import numpy as np
import pandas as pd

from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust import trust_report
from elsewhere.trust.same_shape import LARGE_SKEWNESS, skewness_apart


def columns(skewed, n=200, seed=0):
    """Two columns of two domains; the second domain's first column is skewed, if asked."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2 * n, 2))
    if skewed:
        x[n:, 0] = rng.exponential(size=n)
    return x, np.repeat([0, 1], n)


def test_a_skewed_column_stands_out_and_no_other():
    apart, limit = skewness_apart(*columns(skewed=True), np.random.default_rng(0))
    assert (apart > limit).tolist() == [[True, False], [True, False]]
    assert apart[0, 0] > LARGE_SKEWNESS


def test_units_and_offsets_do_not_matter():
    x, codes = columns(skewed=True)
    one = skewness_apart(x, codes, np.random.default_rng(0))
    moved = 7 * x + np.where(codes == 1, 5.0, 0.0)[:, None]
    moved[codes == 1] *= 3
    other = skewness_apart(moved, codes, np.random.default_rng(0))
    np.testing.assert_allclose(one[0], other[0], rtol=1e-9)
    np.testing.assert_allclose(one[1], other[1], rtol=1e-9)


def test_chance_is_rarely_called_a_difference():
    draws = [columns(skewed=False, n=60, seed=seed) for seed in range(1, 101)]
    found = [skewness_apart(*draw, np.random.default_rng(0)) for draw in draws]
    assert sum((apart > limit).any() for apart, limit in found) <= 3


def answered(folded):
    """Offsets; or a sign that follows the first column in one of the domains."""
    rng = np.random.default_rng(5)
    mix = rng.normal(size=(4, 4)) / 2 + np.eye(4)
    rows = [rng.normal(size=(250, 4)) @ mix.T for _ in range(2)]
    rows[1] = rows[1] * (np.sign(rows[1][:, :1]) if folded else 1.0) + rng.normal(size=4)
    X = pd.DataFrame(np.concatenate(rows), columns=list("abcd"))
    labels = np.repeat(["here", "there"], 250)
    estimator = DomainCounterfactual().fit(X, labels)
    return trust_report(estimator, X, labels, planted=False)


def test_a_sign_that_follows_a_cause_is_a_reason_for_care():
    found = answered(folded=True)
    assert "rows are skewed alike" in found.assumptions.verdict.words
    assert found.decision.answer == "with care"
    assert answered(folded=False).decision.answer == "yes"
