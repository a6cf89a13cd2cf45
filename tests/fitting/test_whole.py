"""Moments of more rows than are at hand: they add up, and a sample can be given them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.split import split
from elsewhere.fitting.whole import Whole

pytestmark = pytest.mark.fast
ROWS = np.random.default_rng(0).standard_normal((400, 3)) @ np.array(
    [[2.0, 0, 0], [1, 1, 0], [0, 5, 100]]
) + [1e3, 0, -7]


@given(st.lists(st.integers(1, 399), max_size=5), st.randoms())
def test_parts_add_up_in_any_order(cuts, shuffle):
    parts = [p for p in np.split(ROWS, sorted(cuts)) if len(p)]
    shuffle.shuffle(parts)
    first, *others = map(Whole.of, parts)
    found, all_rows = sum(others, start=first), Whole.of(ROWS)
    assert found.count == 400
    np.testing.assert_allclose(found.mean, all_rows.mean, rtol=1e-12)
    np.testing.assert_allclose(found.scatter, all_rows.scatter, rtol=1e-9)


def test_a_sample_is_given_the_moments_of_all():
    found, wanted = Whole.of(Whole.of(ROWS).matched(ROWS[:50])), Whole.of(ROWS)
    np.testing.assert_allclose(found.mean, wanted.mean)
    np.testing.assert_allclose(found.scatter / 50, wanted.scatter / 400)


def test_all_rows_stay_as_they_are():
    assert Whole.of(ROWS).matched(ROWS) is ROWS


def test_columns_that_determine_each_other_get_mean_and_deviation():
    rows = ROWS[:, [0, 0, 1]]
    found = Whole.of(rows).matched(rows[:50])
    np.testing.assert_allclose(found.mean(axis=0), rows.mean(axis=0))
    np.testing.assert_allclose(found.std(axis=0), rows.std(axis=0))


def test_rows_to_fit_have_the_moments_and_those_held_out_stay():
    few = {"a": ROWS[:100], "b": 2 * ROWS[:100]}
    wholes = {"a": Whole.of(ROWS), "b": Whole.of(2 * ROWS)}
    words = np.array([0, 1], np.uint32)
    found, plain = split(words, few, wholes=wholes), split(words, few)
    for d, whole in wholes.items():
        for rows in (found.train[d], found.every[d]):
            np.testing.assert_allclose(rows.mean(axis=0), whole.mean)
        np.testing.assert_array_equal(found.held[d], plain.held[d])
