"""From tables to the map: known differences found, none invented, nothing that breaks it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.fitting.moments.directions import NARROW
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.turns import exponential
from elsewhere.fitting.moments.words import certain


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


def moved(tables, **given):
    return affine_map(tables, **given).move(tables["a"], d="a", d_prime="b")


class TestKnownDifferences:
    def test_an_offset(self):
        x, offset = normal(0, 4_000, 4), np.array([1.0, 0.0, -0.5, 0.0])
        tables = {"a": x[:2_000], "b": x[2_000:] + offset}
        np.testing.assert_allclose(moved(tables) - tables["a"], offset + 0 * tables["a"], atol=0.12)

    def test_scales(self):
        x, scales = normal(1, 8_000, 3), np.array([2.0, 1.0, 0.5])
        tables = {"a": x[:4_000], "b": x[4_000:] * scales}
        found = affine_map(tables)
        assert certain("scales", found.scales)
        assert not certain("offsets", found.offsets)
        assert np.abs(found.offsets.means).max() < 0.02
        ratio = np.exp(found.scales.means[1] - found.scales.means[0])
        np.testing.assert_allclose(ratio, scales, rtol=0.06)

    def test_where_domains_differ_scales_need_no_test_of_their_own(self):
        """Twenty rows cannot prove a scale of 1.6, but a plain offset says that domains differ."""
        errors = []
        for seed in range(20):
            x = normal(seed, 40, 3)
            moved_rows = 1.6 * x[20:] + np.array([4.0, 0.0, 0.0])
            found = affine_map({"a": x[:20], "b": moved_rows}).scales.means
            errors.append(np.abs(np.exp(found[1] - found[0]) - 1.6).mean())
        assert np.mean(errors) < 0.4  # 0.6 for no scale

    def test_a_symmetric_turn(self):
        G = np.array([[0.0, 0.4, 0.0], [0.4, 0.0, 0.0], [0.0, 0.0, 0.0]])
        x = normal(2, 20_000, 3)
        x[:, 0] += x[:, 2]
        tables = {"a": x[:10_000], "b": x[10_000:] @ exponential(G)}
        found = affine_map(tables)
        assert found.turns.supported
        answer = found.move(tables["a"], d="a", d_prime="b")
        covariance = np.cov((tables["a"] @ exponential(G)).T)
        np.testing.assert_allclose(np.cov(answer.T), covariance, atol=0.12)

    def test_an_offset_of_a_wide_table(self):
        p = 3 * NARROW
        offset = np.where(np.arange(p) < 30, 1.5, 0.0)
        tables = {"a": normal(3, 40, p), "b": normal(4, 60, p) + offset}
        error = moved(tables) - tables["a"] - offset
        by_means = tables["b"].mean(axis=0) - tables["a"].mean(axis=0) - offset
        assert (error**2).mean() < 0.7 * (by_means**2).mean()

    @pytest.mark.parametrize("p", [60, 2_000])
    def test_one_column_of_a_wide_table_that_is_far_off(self, p):
        x = normal(1, 90, p)
        x[45:, 0] += 100.0
        assert affine_map({"a": x[:45], "b": x[45:]}).offsets.supported


class TestNoDifference:
    @pytest.mark.parametrize(("counts", "p"), [((60, 90), 3), ((25, 30), 60), ((9, 200, 40), 2)])
    def test_answers_are_the_rows_themselves(self, counts, p):
        """But for the few tables in a hundred in which chance alone reaches the level."""
        different = 0
        for seed in range(96):
            rows = [5 + 3 * normal(3 * seed + i, n, p) for i, n in enumerate(counts)]
            tables = dict(zip("abc", rows, strict=False))
            found = affine_map(tables)
            if any(e.supported for e in (found.offsets, found.scales, found.turns)):
                different += 1
                continue
            np.testing.assert_array_equal(moved(tables), tables["a"])
            assert found.carried == 1
        assert different <= 7


class TestUnitsAndTwins:
    @settings(max_examples=5)
    @given(power=st.integers(-6, 6), shift=st.floats(-1e3, 1e3), column=st.integers(0, 2))
    def test_units_of_a_column_do_not_matter(self, power, shift, column):
        x = normal(5, 120, 3) + np.repeat([[0.0], [1.0]], 60, axis=0)
        scale, start = np.ones(3), np.zeros(3)
        scale[column], start[column] = 10.0**power, shift * 10.0**power
        plain, other = (moved({"a": t[:60], "b": t[60:]}) for t in (x, x * scale + start))
        np.testing.assert_allclose((other - start) / scale, plain, rtol=1e-6, atol=1e-6)

    @pytest.mark.parametrize("p", [3, 60])
    def test_a_twin_gets_its_twin_s_answer(self, p):
        x = normal(6, 90, p)
        x[45:] = 1.0 + 1.5 * x[45:]
        x = np.c_[x, x[:, 0]]
        answer = moved({"a": x[:45], "b": x[45:]})
        np.testing.assert_allclose(answer[:, -1], answer[:, 0], atol=1e-6)
        assert np.abs(answer[:, 0] - x[:45, 0]).max() > 0.1


class TestAwkwardTables:
    @settings(max_examples=12)
    @given(
        counts=st.lists(st.integers(1, 6), min_size=2, max_size=4).filter(lambda c: max(c) > 1),
        p=st.sampled_from([1, 2, 5, 45]),
        seed=st.integers(0, 99),
        gap=st.sampled_from([0.0, 1.0, 1e3]),
    )
    def test_few_rows_have_finite_answers(self, counts, p, seed, gap):
        tables = {i: normal(seed + i, n, p) + gap * i for i, n in enumerate(counts)}
        check_finite(tables)

    @pytest.mark.parametrize("p", [4, 50])
    def test_collinear_constant_and_tiny_columns(self, p):
        x = normal(7, 60, p)
        x[:, 1] = x[:, 0] + x[:, 2]
        x[:, 3] = np.where(np.arange(60) < 30, 2.0, x[:, 3])  # constant in one domain
        x = np.c_[x, np.full(60, 4.0), np.repeat([1.0, 2.0], 30), 1e-9 * x[:, 0], 1e9 * x[:, 0]]
        check_finite({"a": x[:30], "b": x[30:] + 1})

    @pytest.mark.parametrize("small", [1, 2, 3])
    def test_a_small_domain_beside_a_large_one(self, small):
        check_finite({"a": normal(8, 200, 3), "b": normal(9, small, 3) + 2})

    def test_three_rows_that_hardly_differ_are_answered_no_worse_than_by_means(self):
        ours, means = np.mean([errors_beside_means(seed, 0.5) for seed in range(20)], axis=0)
        assert ours <= means

    def test_three_rows_that_differ_by_a_deviation_are_answered_no_worse_than_by_means(self):
        ours, means = np.mean([errors_beside_means(seed, 1.0) for seed in range(20)], axis=0)
        assert ours <= means


def errors_beside_means(seed, size):
    """Mean squared errors of the map and of a shift of means, for 3 rows beside 1,000."""
    rng = np.random.default_rng(seed)
    offset = size * rng.standard_normal(4)
    tables = {"a": rng.standard_normal((1_000, 4)), "b": rng.standard_normal((3, 4)) + offset}
    truth = tables["a"] + offset
    shift = tables["a"] + tables["b"].mean(axis=0) - tables["a"].mean(axis=0)
    return [((answer - truth) ** 2).mean() for answer in (moved(tables), shift)]


def check_finite(tables):
    found = affine_map(tables)
    for d, x in tables.items():
        for d_prime in tables:
            for answer in (
                found.move(x, d=d, d_prime=d_prime),
                found.standard_error(x, d=d, d_prime=d_prime),
            ):
                assert np.isfinite(answer).all()
        assert np.isfinite(found.noise(x, d=d)).all()
        assert np.isfinite(found.log_density(x, d=d)).all()


def test_the_order_of_rows_within_a_domain_hardly_matters():
    x = normal(11, 100, 3) + np.repeat([[0.0], [1.0]], 50, axis=0)
    rng = np.random.default_rng(0)
    order = rng.permutation(50)
    one = affine_map({"a": x[:50], "b": x[50:]})
    other = affine_map({"a": x[:50][order], "b": x[50:][order]})
    np.testing.assert_allclose(other.offsets.means, one.offsets.means, atol=1e-9)
    assert other.offsets.p_value == one.offsets.p_value  # both the smallest there is
