"""The hidden-pairs protocol against closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.baselines import Identity, MeanShift
from elsewhere.evaluation import give_samples, hidden_pairs_error


@given(st.integers(2, 6), st.integers(12, 80), st.integers(0, 999))
def test_every_sample_is_in_one_domain_and_domains_are_balanced(domains, samples, seed):
    counts = np.bincount(give_samples(samples, domains, seed=seed), minlength=domains)
    assert counts.sum() == samples
    assert counts.max() - counts.min() <= 1


def test_a_seed_is_one_split():
    a, b, c = (give_samples(50, 3, seed=seed) for seed in (4, 4, 5))
    assert (a == b).all()
    assert (a != c).any()


def offsets(seed=0, D=3, n=60, p=4):
    """Domains that differ by offsets."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(1, n, p)) + 5 * rng.normal(size=(D, 1, p))


def error_of(baseline, values, given):
    tables = [values[d, given == d] for d in range(len(values))]
    fitted = baseline.fit(tables)
    return hidden_pairs_error(values, given, lambda d, e: fitted.move(tables[d], d=d, d_prime=e))


def test_a_mean_shift_is_exact_for_offsets_when_groups_have_equal_means():
    values = offsets()
    split = give_samples(60, 3, seed=1)
    centre = values[0].mean(0)
    for d in range(3):  # the samples given to each domain get the same mean
        values[:, split == d] -= values[0, split == d].mean(0) - centre
    assert error_of(MeanShift(), values, split) == pytest.approx(0, abs=1e-20)


@given(st.integers(0, 99))
@settings(max_examples=10)
def test_a_mean_shift_errs_by_the_difference_of_the_groups_means(seed):
    values, split = offsets(seed, D=2), give_samples(60, 2, seed=seed)
    gap = values[0, split == 0].mean(0) - values[0, split == 1].mean(0)
    expected = np.mean(gap**2 / values[0].var(0))
    assert error_of(MeanShift(), values, split) == pytest.approx(expected)


def test_doing_nothing_errs_by_the_offsets():
    values, split = offsets(D=2), give_samples(60, 2, seed=0)
    expected = np.mean((values[0, 0] - values[1, 0]) ** 2 / values[0].var(0))
    assert error_of(Identity(), values, split) == pytest.approx(expected)


def test_answering_with_the_target_s_mean_scores_one():
    values = np.random.default_rng(0).normal(size=(2, 5_000, 3)) * [1.0, 7.0, 0.01]
    split = give_samples(5_000, 2, seed=0)
    counts = np.bincount(split)
    score = hidden_pairs_error(
        values, split, lambda d, e: np.tile(values[e].mean(0), (counts[d], 1))
    )
    assert score == pytest.approx(1.0, abs=0.05)


def test_the_truth_scores_nothing_and_units_do_not_matter():
    values, split = offsets(), give_samples(60, 3, seed=0)
    assert hidden_pairs_error(values, split, lambda d, e: values[e, split == d]) == 0
    scaled = values * [1.0, 10.0, 100.0, 1e-3]
    plain = error_of(Identity(), values, split)
    assert error_of(Identity(), scaled, split) == pytest.approx(plain)


def test_unusable_input_is_named():
    with pytest.raises(ValueError, match="got 5 samples and 3 domains"):
        give_samples(5, 3, seed=0)
    values, split = offsets(), give_samples(60, 3, seed=0)
    with pytest.raises(ValueError, match=r"must have shape \(20, 4\); got \(1, 4\)"):
        hidden_pairs_error(values, split, lambda d, e: values[e, :1])
    with pytest.raises(ValueError, match="must be finite; 80 are not"):
        hidden_pairs_error(values, split, lambda d, e: np.full((20, 4), np.nan))
    values[1, :, 2] = 3.0
    with pytest.raises(ValueError, match="column 2 is constant in domain 1"):
        hidden_pairs_error(values, split, lambda d, e: values[e, split == d])
