"""Effects on many columns: errors that go together, and none where chance explains them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments.contrasts import contrasts
from elsewhere.fitting.moments.effects import judged, left_out, shrunken_effects
from elsewhere.fitting.moments.errors import LEAST_OWN, errors_of
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.populations import shrink_along


def influences(n, p, seed=0, shared=0.0):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, p)) + shared * rng.standard_normal((n, 1))
    return rows - rows.mean(axis=0)


@given(p=st.floats(0, 1), seed=st.integers(0, 99))
def test_chance_leaves_no_effect_but_what_is_unknown_stays(p, seed):
    b = np.random.default_rng(seed).standard_normal((2, 4))
    compared = contrasts(np.array([5.0, 9.0, 30.0]))
    found = judged(compared, b, 3 * b**2, p)
    assert found.supported == (p <= LEVEL)
    expected = compared.back(b) if p <= LEVEL else np.zeros((3, 4))
    np.testing.assert_array_equal(found.means, expected)
    squares = 3 * b**2 if p <= LEVEL else 3 * b**2 + b**2  # about 0 where none is used
    np.testing.assert_array_equal(found.variances, squares)


@given(p=st.integers(1, 12), seed=st.integers(0, 99))
def test_in_a_narrow_table_errors_are_those_of_the_covariance(p, seed):
    rows, counts = influences(40, p, seed), np.array([15.0, 25.0])
    errors = errors_of(rows, counts, 38)
    y = np.random.default_rng(seed + 1).standard_normal((2, p))
    ((b, v),) = errors.parts(y)
    covariance = errors.compared.variances[0] * rows.T @ rows / 38
    contrast = errors.compared.of(y)[0]
    np.testing.assert_allclose(
        (b**2 / v).sum(), contrast @ np.linalg.solve(covariance, contrast), rtol=1e-6
    )


def test_in_a_wide_table_each_column_keeps_an_error_of_its_own():
    rows = influences(60, 200, shared=1.5)
    errors = errors_of(rows, np.array([20.0, 40.0]), 58)
    total = (rows**2).sum(axis=0) / 58
    assert 1 <= len(errors.along) <= 3
    assert (errors.own >= LEAST_OWN * total).all()
    assert errors.own.mean() == pytest.approx(1, abs=0.15)
    (b, _), (rest, _) = errors.parts(np.random.default_rng(1).standard_normal((2, 200)))
    np.testing.assert_allclose(rest @ errors.codes.basis, 0 * b, atol=1e-9)


def test_what_rows_have_in_common_by_chance_is_shrunken_hard():
    """An estimate that differs along the shared direction alone is likely chance."""
    rows = influences(60, 8, shared=3.0)
    counts, half = np.array([30.0, 30.0]), [rows[:30], rows[30:]]
    along = np.ones(8) / np.sqrt(8)
    across = np.array([1, -1] * 4) / np.sqrt(8)
    sizes = []
    for direction in (along, across):
        estimates = np.array([[-0.6], [0.6]]) * direction
        sizes.append(np.linalg.norm(shrunken_effects(estimates, half, counts, 0.001).means))
    assert sizes[0] < 0.5 * sizes[1]


def test_effects_are_about_the_mean_of_all_domains():
    parts = [influences(n, 5, n) for n in (12, 20, 31)]
    estimates = np.random.default_rng(0).standard_normal((3, 5))
    found = shrunken_effects(estimates, parts, np.array([12.0, 20.0, 31.0]), 0.001)
    np.testing.assert_allclose(found.means.sum(axis=0), 0, atol=1e-12)
    moved = shrunken_effects(estimates + 7, parts, np.array([12.0, 20.0, 31.0]), 0.001)
    np.testing.assert_allclose(moved.means, found.means, atol=1e-9)


def test_effects_that_are_left_out_stay_unknown():
    compared, b = contrasts(np.array([5.0, 9.0, 30.0])), np.arange(8.0).reshape(2, 4)
    every = judged(compared, b, 3 + 0 * b, 0.0)
    found = left_out(every, np.array([True, False, True, False]))
    np.testing.assert_allclose(found.means, every.means * [0, 1, 0, 1])
    np.testing.assert_allclose(found.variances, 3 + b**2 * [1, 0, 1, 0])


def test_an_effect_of_one_column_is_not_lost_among_directions():
    """Its column goes with others, so that every direction has a little of it."""
    rows, b = influences(50, 8, shared=1.0), np.zeros((2, 8))
    b[1, 0] = 1.5
    errors = errors_of(rows, np.array([25.0, 25.0]), 48)
    found = errors.compared.back(errors.shrunken(b)[0])
    ((along, v),) = errors.parts(b)
    plain = errors.compared.back(shrink_along(along, v, errors.along).means @ errors.codes.basis.T)
    truth = b - b.mean(axis=0)
    assert ((found - truth) ** 2).sum() < 0.8 * ((plain - truth) ** 2).sum()
