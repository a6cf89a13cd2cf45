"""p-values by exchange: right under no difference, small under a large one, never too small."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments import permutation
from elsewhere.fitting.moments.differences import Chances, domains_differ
from elsewhere.fitting.moments.effects import means_by_chance, of_means
from elsewhere.fitting.moments.permutation import (
    LEVEL,
    TIMES,
    group_size,
    in_groups,
    p_value,
    plain_sums,
    product_by_chance,
)
from elsewhere.fitting.moments.statistics import Statistics

SMALLEST = 1 / (1 + TIMES)


@pytest.fixture
def few_exchanges(monkeypatch):
    """A test of its level by 99 exchanges is as exact as by 599."""
    monkeypatch.setattr(permutation, "TIMES", 99)


def rows_of(seed, *counts, p=3):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((n, p)) for n in counts]


def distance(rows, counts):
    """The p-value of Σ (mean_0 − mean_1)²."""

    def statistic(means):
        return ((means[:, 0] - means[:, 1]) ** 2).sum(axis=1)

    return p_value(rows, np.asarray(counts, float), statistic)


def test_without_a_difference_one_in_twenty_is_below_one_twentieth(few_exchanges):
    rng = np.random.default_rng(0)
    found = np.array([distance(rng.standard_normal((30, 2)), [12, 18]) for _ in range(200)])
    assert 0.02 <= (found <= 0.05).mean() <= 0.09
    assert 0.4 < found.mean() < 0.6


@pytest.mark.parametrize(("counts", "p"), [((15, 25), 2), ((12, 20, 9), 2), ((14, 14), 41)])
def test_the_test_of_means_has_its_level(counts, p, few_exchanges):
    rng = np.random.default_rng(1)
    draws = [[rng.standard_t(5, (n, p)) @ _mixed(p) for n in counts] for _ in range(40)]
    found = np.array([means_by_chance(rows) for rows in draws])
    assert (found <= 0.05).mean() <= 0.13
    assert found.mean() > 0.4


def _mixed(p):
    return np.eye(p) + 0.5 * np.random.default_rng(2).standard_normal((p, p)) / np.sqrt(p)


@pytest.mark.parametrize("p", [3, 41])
def test_a_large_shift_has_the_smallest_p_value(p):
    rows = rows_of(0, 30, 50, p=p)
    rows[1] += 5.0
    assert means_by_chance(rows) == pytest.approx(SMALLEST)


@given(seed=st.integers(0, 50), counts=st.lists(st.integers(4, 40), min_size=2, max_size=4))
def test_groups_and_what_they_leave_over_hold_every_row_once(seed, counts):
    rows, sizes = rows_of(seed, *counts), np.array(counts, float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutation, "MANY", 4)
        patch.setattr(permutation, "FEWEST", 2)
        every = np.concatenate(rows)
        groups, left, numbers = in_groups(every, sizes, plain_sums, group_size(sizes))
    assert len(groups) == numbers.sum()
    of_domains = [part.sum(axis=0) for part in np.split(groups, np.cumsum(numbers)[:-1])]
    np.testing.assert_allclose(of_domains + left, [t.sum(axis=0) for t in rows], atol=1e-12)


def test_few_rows_are_groups_of_their_own():
    rows = np.concatenate(rows_of(4, 5, 7, 1))
    groups, left, _ = in_groups(rows, np.array([5.0, 7.0, 1.0]), plain_sums, 1)
    assert (groups == rows).all()
    assert not left.any()


def test_exchanges_of_groups_have_the_same_level(few_exchanges, monkeypatch):
    monkeypatch.setattr(permutation, "MANY", 30)
    rng = np.random.default_rng(0)
    monkeypatch.setattr(permutation, "FEWEST", 10)
    found = np.array([distance(rng.standard_normal((90, 2)), [31, 59]) for _ in range(200)])
    assert 0.02 <= (found <= 0.05).mean() <= 0.09
    assert 0.4 < found.mean() < 0.6


def test_exchanges_of_groups_find_a_shift(monkeypatch):
    monkeypatch.setattr(permutation, "MANY", 100)
    monkeypatch.setattr(permutation, "FEWEST", 20)
    rows = rows_of(5, 200, 300)
    rows[1] += 0.5
    assert means_by_chance(rows) == pytest.approx(SMALLEST)


def test_exchanges_that_part_the_rows_as_observed_count():
    """3 + 3 rows part in 20 ways: no difference of theirs can be rarer than 1 in 20."""
    rows = rows_of(0, 3, 3)
    rows[1] += 100.0
    assert means_by_chance(rows) > 0.05


@pytest.mark.parametrize("counts", [(1, 1), (2, 2), (1, 30), (2, 3), (1, 1, 1)])
@pytest.mark.parametrize("p", [1, 45])
def test_few_rows_give_no_certainty(counts, p):
    for seed in range(2):
        rows = [table + 50.0 * i for i, table in enumerate(rows_of(seed, *counts, p=p))]
        assert means_by_chance(rows) > 0.02


def test_the_p_value_is_the_same_every_time():
    rows = np.concatenate(rows_of(3, 20, 25))
    assert distance(rows, [20, 25]) == distance(rows, [20, 25])


def test_exchanges_within_strata_keep_what_strata_differ_by(few_exchanges):
    rng = np.random.default_rng(8)
    strata = np.r_[rng.random(60) < 0.8, rng.random(60) < 0.2].astype(int)
    rows = rng.standard_normal((120, 2)) + 3.0 * strata[:, None]
    assert means_by_chance([rows[:60], rows[60:]]) == pytest.approx(1 / (1 + permutation.TIMES))
    assert means_by_chance([rows[:60], rows[60:]], strata=strata) > 0.05
    rows[60:] += 1.5
    assert means_by_chance([rows[:60], rows[60:]], strata=strata) <= 0.02


def test_groups_within_strata_hold_every_row_once(monkeypatch):
    monkeypatch.setattr(permutation, "MANY", 30)
    monkeypatch.setattr(permutation, "FEWEST", 10)
    rng = np.random.default_rng(9)
    rows, strata = rng.standard_normal((100, 2)), rng.integers(0, 3, 100)
    counts, seen = np.array([40.0, 60.0]), []

    def statistic(means):
        seen.append((means * counts[:, None]).sum(axis=1))
        return np.abs(means[:, 0, 0] - means[:, 1, 0])

    p_value(rows, counts, statistic, strata=strata)
    total = np.broadcast_to(rows.sum(axis=0), np.concatenate(seen).shape)
    np.testing.assert_allclose(np.concatenate(seen), total, atol=1e-9)


class TestProduct:
    def test_of_one_test_it_is_that_test(self):
        found = of_means(rows_of(0, 12, 18))
        assert product_by_chance([found]) == pytest.approx(found[0])
        assert product_by_chance([found, found]) == pytest.approx(found[0])
        assert product_by_chance([found, np.ones(1)]) == pytest.approx(found[0])

    def test_of_independent_tests_it_is_fishers(self):
        rng = np.random.default_rng(1)
        tests = [(rng.permutation(20_000) + 1) / 20_000 for _ in range(3)]
        x = -np.sum([np.log(one[0]) for one in tests])
        expected = np.exp(-x) * (1 + x + x**2 / 2)  # P(χ²_6 ≥ 2x)
        assert product_by_chance(tests) == pytest.approx(expected, abs=0.01)

    def test_small_differences_of_several_kinds_are_found_together(self):
        rng, found = np.random.default_rng(2), []
        for _ in range(40):
            away = 1.35 * rng.standard_normal((40, 3)) + 0.35
            tables = [rng.standard_normal((40, 3)), away]
            alone = min(means_by_chance(tables), means_by_chance(Statistics(tables).distances))
            found.append((domains_differ(Statistics(tables), Chances()), alone <= LEVEL))
        together, alone = np.mean(found, axis=0)
        assert together > alone + 0.1
