"""Directions of variance, and what of it is more than noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments.directions import (
    marchenko_pastur_median,
    principal_directions,
    signal_variances,
)


@pytest.mark.parametrize(("n", "p"), [(800, 80), (400, 400), (200, 1_000)])
def test_the_median_is_that_of_simulated_eigenvalues(n, p):
    rows = np.random.default_rng(0).standard_normal((n, p))
    values = np.linalg.svd(rows, compute_uv=False) ** 2 / n
    assert marchenko_pastur_median(p / n) == pytest.approx(np.median(values), rel=0.02)


def test_the_median_of_few_columns_is_their_variance():
    assert marchenko_pastur_median(1e-4) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("noise", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(("n", "p"), [(1_000, 100), (300, 1_500)])
def test_spikes_above_the_noise_are_found_with_their_size(n, p, noise):
    rng, ell = np.random.default_rng(1), np.array([60.0, 30.0, 15.0])
    rows = rng.standard_normal((n, p))
    rows[:, :3] *= np.sqrt(1 + ell)
    found = principal_directions(np.sqrt(noise) * rows, n)
    assert (found.signal > 0).sum() == 3
    np.testing.assert_allclose(found.signal[:3], noise * ell, rtol=0.2)
    reliability = found.reliability
    assert (reliability >= 0).all()
    assert (reliability <= 1).all()


@pytest.mark.parametrize(("n", "p"), [(500, 50), (60, 900)])
def test_pure_noise_has_no_signal_worth_speaking_of(n, p):
    counts = []
    for seed in range(10):
        found = principal_directions(np.random.default_rng(seed).standard_normal((n, p)), n)
        counts.append((found.signal > 0).sum())
    assert np.mean(counts) <= 1


@given(
    ell=st.lists(st.floats(2, 1e4), min_size=1, max_size=4),
    ratio=st.floats(0.01, 1.5),
    noise=st.floats(1e-6, 1e6),
)
def test_the_spiked_formula_is_inverted(ell, ratio, noise):
    freedom = 1_000
    p = round(ratio * freedom)
    gamma = p / freedom
    spikes = np.sort(np.array(ell))[::-1]
    seen = noise * (spikes + 1) * (1 + gamma / spikes)
    bulk = np.full(51, noise * marchenko_pastur_median(round(gamma, 4)))
    found = signal_variances(np.r_[seen, bulk], p, freedom)
    np.testing.assert_allclose(found[: len(ell)], noise * spikes, rtol=1e-6)
    assert (found[len(ell) :] == 0).all()


@given(n=st.integers(3, 12), p=st.integers(1, 20), seed=st.integers(0, 99))
def test_directions_are_those_of_the_covariance(n, p, seed):
    rows = np.random.default_rng(seed).standard_normal((n, p))
    rows -= rows.mean(axis=0)
    found = principal_directions(rows, n - 1)
    r = found.basis.shape[1]
    assert r == min(p, n - 1)
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(r), atol=1e-6)
    covariance = rows.T @ rows / (n - 1)
    made = (found.basis * found.variances) @ found.basis.T
    np.testing.assert_allclose(made, covariance, atol=1e-8)
    assert (np.diff(found.variances) <= 0).all()
    assert found.first(2).basis.shape[1] == min(2, r)


def test_rows_that_never_vary_have_no_directions():
    for shape in ((5, 3), (3, 5)):
        found = principal_directions(np.zeros(shape), 2)
        assert found.basis.shape == (shape[1], 0)
        assert found.signal.shape == (0,)
