"""Contrasts of domains: independent, whatever the numbers of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments.contrasts import NO_ROWS, contrasts

COUNTS = st.lists(st.integers(0, 5_000), min_size=2, max_size=7)


@given(counts=COUNTS)
def test_weights_are_orthonormal_and_sum_to_0(counts):
    found = contrasts(np.array(counts, float))
    assert found.weights.shape == (len(counts) - 1, len(counts))
    np.testing.assert_allclose(found.weights @ found.weights.T, np.eye(len(counts) - 1), atol=1e-9)
    np.testing.assert_allclose(found.weights.sum(axis=1), 0, atol=1e-12)


@given(counts=COUNTS)
def test_contrasts_of_independent_estimates_are_independent(counts):
    n = np.maximum(np.array(counts, float), NO_ROWS)
    found = contrasts(np.array(counts, float))
    covariance = found.weights @ np.diag(1 / n) @ found.weights.T
    atol = 1e-8 * found.variances.max()
    np.testing.assert_allclose(covariance, np.diag(found.variances), atol=atol)
    assert (found.variances > 0).all()


def test_a_domain_without_rows_is_one_contrast_of_its_own():
    found = contrasts(np.array([10.0, 0.0, 40.0]))
    away = np.array([-1, 2, -1]) / np.sqrt(6)
    np.testing.assert_allclose(np.abs(found.weights[-1]), np.abs(away), atol=1e-6)
    assert found.variances[-1] > 1e5
    np.testing.assert_allclose(found.variances[0], (1 / 10 + 1 / 40) / 2, rtol=1e-4)


@given(counts=COUNTS, seed=st.integers(0, 99))
def test_there_and_back_takes_out_the_mean(counts, seed):
    y = np.random.default_rng(seed).standard_normal((len(counts), 3, 2))
    found = contrasts(np.array(counts, float))
    np.testing.assert_allclose(found.back(found.of(y)), y - y.mean(axis=0), atol=1e-9)


def test_two_domains_have_one_contrast():
    found = contrasts(np.array([4.0, 16.0]))
    np.testing.assert_allclose(np.abs(found.weights), [[np.sqrt(0.5)] * 2])
    np.testing.assert_allclose(found.variances, [(1 / 4 + 1 / 16) / 2])
