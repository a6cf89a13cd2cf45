"""Means, spreads and influences of every domain, against their closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments.contrasts import NO_ROWS
from elsewhere.fitting.moments.statistics import SMALLEST_RATIO, Statistics


def seen_of(counts, p=3, seed=0):
    rng = np.random.default_rng(seed)
    return Statistics([1 + 2 * rng.standard_normal((n, p)) for n in counts])


@given(counts=st.lists(st.integers(1, 9), min_size=2, max_size=4), seed=st.integers(0, 99))
def test_means_residuals_and_pooled_variance(counts, seed):
    seen = seen_of(counts, seed=seed)
    for table, mean, rest in zip(seen.tables, seen.means, seen.residuals, strict=True):
        np.testing.assert_allclose(table, mean + rest)
        np.testing.assert_allclose(rest.mean(axis=0), 0, atol=1e-12)
    assert seen.freedom == max(sum(counts) - len(counts), 1)
    squares = sum((r**2).sum(axis=0) for r in seen.residuals)
    expected = squares / seen.freedom if max(counts) > 1 else np.ones(3)
    np.testing.assert_allclose(seen.pooled, expected)


@given(counts=st.lists(st.integers(3, 9), min_size=2, max_size=4), seed=st.integers(0, 99))
def test_influences_are_what_leaving_a_row_out_takes_from_the_log_deviation(counts, seed):
    seen = seen_of(counts, seed=seed)
    for rest, found in zip(seen.residuals, seen.deviation_influences, strict=True):
        np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-9)
        n, squares = len(rest), (rest**2).sum(axis=0)
        without = np.stack([(np.delete(rest, row, axis=0) ** 2).sum(axis=0) for row in range(n)])
        taken = n * 0.5 * np.log(squares / without)
        np.testing.assert_allclose(found, taken - taken.mean(axis=0), rtol=1e-6, atol=1e-9)


def test_influences_of_many_rows_are_derivatives():
    """½ log Var changes by (z² − 1)/2 per unit of a row's weight."""
    seen = seen_of([20_000, 10_000])
    for rest, found in zip(seen.residuals, seen.deviation_influences, strict=True):
        squares = rest**2 / rest.var(axis=0)
        np.testing.assert_allclose(found, (squares - 1) / 2, atol=0.01)


def test_a_row_that_makes_a_spread_makes_its_error():
    rng = np.random.default_rng(0)
    tame, wild = (np.r_[rng.standard_normal((99, 1)), [[far]]] for far in (2.0, 200.0))
    errors = [Statistics([t, tame]).deviation_influences[0].var() / 100 for t in (tame, wild)]
    assert errors[0] < 0.01  # of normal rows: ½/100
    assert errors[1] > 4  # the log deviation is known up to a factor of e² at best


@pytest.mark.parametrize("n", [3, 5, 30])
def test_log_deviations_are_unbiased_with_the_variance_stated(n):
    rng = np.random.default_rng(0)
    seen = Statistics([rng.standard_normal((n, 8_000)), rng.standard_normal((400, 8_000))])
    differences = seen.log_deviations[0] - seen.log_deviations[1]
    assert abs(differences.mean()) < 0.02
    expected = (0.5 / seen.counts_for_deviations).sum()
    assert differences.var() == pytest.approx(expected, rel=0.05)


def test_domains_of_one_or_two_rows_have_the_spread_of_all():
    seen = seen_of([1, 2, 8])
    np.testing.assert_array_equal(seen.variances[:2], [seen.pooled] * 2)
    np.testing.assert_array_equal(seen.log_deviations[:2], np.zeros((2, 3)))
    np.testing.assert_array_equal(seen.counts_for_deviations[:2], [NO_ROWS] * 2)
    usual = seen.distances[2].mean(axis=0)
    np.testing.assert_allclose(seen.distances[0][0], usual)
    np.testing.assert_allclose(seen.distances[1], [usual] * 2)


def test_columns_that_do_not_vary():
    seen = Statistics([np.ones((4, 2)) * [1, 2], np.c_[np.ones(4), np.arange(4.0)]])
    assert seen.pooled[0] == 1
    assert seen.variances[0, 1] == pytest.approx(SMALLEST_RATIO * seen.pooled[1])
    assert np.isfinite(seen.log_deviations).all()
