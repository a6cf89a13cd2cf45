"""Gains: a column that is multiplied, found from its means where deviations tell little."""

import numpy as np
import pytest

from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.gains import log_means
from elsewhere.fitting.moments.parts import together
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.units import Units

GAIN = np.array([1.8, 1.0, 0.7, 1.3])
ZERO = np.zeros(4)


def amounts(seed, n):
    """Rows that are never negative: 20 % about a mean of 10."""
    return 10 + 2 * np.random.default_rng(seed).standard_normal((n, 4))


def ratios(tables, zeros):
    scales = affine_map(tables, units=Units(np.full(4, np.inf), zeros)).scales.means
    return np.exp(scales[1] - scales[0])


def errors(n, seeds, shift=0.0, zeros=ZERO):
    """Mean squared errors of the log ratio, with zeros known and not."""
    found = {"with": [], "without": []}
    for seed in seeds:
        x = amounts(seed, 2 * n)
        tables = {"a": x[:n], "b": x[n:] * GAIN + shift}
        for name, known in (("with", zeros), ("without", None)):
            found[name].append(((np.log(ratios(tables, known) / GAIN)) ** 2).mean())
    return np.mean(found["with"]), np.mean(found["without"])


def test_means_tell_of_a_gain_what_few_deviations_cannot():
    known, unknown = errors(20, range(10))
    assert known < 0.2 * unknown


def test_a_shift_of_columns_that_have_a_zero_is_not_taken_for_a_gain():
    """Means move, spreads do not: the evidence is for offsets."""
    x = amounts(0, 400)
    tables = {"a": x[:200], "b": x[200:] + np.array([8.0, 0.0, -4.0, 3.0])}
    np.testing.assert_allclose(ratios(tables, ZERO), 1.0, atol=0.1)


def test_columns_without_a_zero_are_as_they_were():
    x = amounts(1, 80)
    tables = {"a": x[:40], "b": x[40:] * GAIN}
    np.testing.assert_array_equal(ratios(tables, np.full(4, np.nan)), ratios(tables, None))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_units_do_not_matter(unit):
    x = amounts(2, 80)
    tables = {"a": x[:40], "b": x[40:] * GAIN}
    other = {d: rows * unit for d, rows in tables.items()}
    np.testing.assert_allclose(ratios(other, ZERO), ratios(tables, ZERO), rtol=1e-6)


def test_a_mean_below_its_zero_has_no_logarithm():
    seen = Statistics([amounts(3, 9), amounts(4, 9) - 30])
    means = log_means(seen, ZERO)
    assert not means.logs.any()
    assert not together(means.influences).any()


def test_influences_are_derivatives_of_the_log_mean():
    rows, h = amounts(5, 6), 1e-6
    seen = Statistics([rows, amounts(6, 7)])
    means = log_means(seen, ZERO)
    for i in range(6):
        heavier = np.r_[np.ones(6)][:, None] / 6
        heavier[i] += h
        moved = np.log((heavier * rows).sum(axis=0) / heavier.sum())
        np.testing.assert_allclose((moved - means.logs[0]) / h, means.influences[0][i], atol=1e-4)


def test_few_skewed_rows_bring_less_of_a_gain_than_their_means_show():
    """Means of 25 rows with a heavy tail differ by half by chance: that is no gain."""
    moved, plain = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = np.exp(rng.normal(0, [0.1, 0.1, 1.2, 1.2], (50, 4)))
        tables = {"a": x[:25], "b": x[25:] * np.array([2.0, 2.0, 1.0, 1.0])}
        found = np.log(ratios(tables, ZERO))
        moved.append(np.abs(found[2:]).mean())
        plain.append(np.abs(np.log(x[25:].mean(axis=0) / x[:25].mean(axis=0)))[2:].mean())
        np.testing.assert_allclose(found[:2], np.log(2), atol=0.15)
    assert np.mean(moved) < 0.85 * np.mean(plain)


def test_a_column_by_ratios_has_no_scale():
    x = amounts(0, 100)
    tables = {"a": x[:50], "b": 3 * x[50:]}
    by_ratios = np.array([True, False, False, True])
    units = Units(np.full(4, np.inf), ratios=by_ratios)
    np.testing.assert_array_equal(affine_map(tables, units=units).scales.means[:, by_ratios], 0.0)
    assert np.all(affine_map(tables, units=units).scales.means[1, ~by_ratios] > 0.3)
