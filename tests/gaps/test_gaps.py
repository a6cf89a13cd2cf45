"""What rows tell of their missing entries, against closed forms and complete tables."""

import numpy as np
import pytest

from elsewhere.gaps import fit_gaps
from elsewhere.gaps.conditional import FactorCovariance, FullCovariance
from elsewhere.gaps.matching import matched

pytestmark = pytest.mark.fast
RNG = np.random.default_rng(0)
LOADINGS, OWN, SCALE = RNG.normal(size=(5, 2)), RNG.uniform(0.5, 2, 5), RNG.uniform(0.5, 2, 5)
MATRIX = (LOADINGS @ LOADINGS.T + np.diag(OWN)) * np.outer(SCALE, SCALE)
FORMS = [FullCovariance(MATRIX), FactorCovariance(LOADINGS, OWN, SCALE)]
SEEN = np.array([[1, 1, 0, 1, 0], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], bool)


def tables(rng, share, n=400, p=5, offset=1.0):
    """(with gaps, complete): two domains with one covariance and means apart."""
    weights = rng.normal(size=(p, 2))
    whole = [rng.normal(size=(n, 2)) @ weights.T + rng.normal(size=(n, p)) + d for d in (0, offset)]
    return [np.where(rng.random(t.shape) < share, np.nan, t) for t in whole], whole


@pytest.mark.parametrize("form", FORMS)
def test_expectations_and_determinants_are_those_of_the_normal_law(form):
    u = RNG.normal(size=SEEN.shape)
    found, dets = form.expected(u, SEEN), form.half_log_det(SEEN)
    for row, seen, x, det in zip(u, SEEN, found, dets, strict=True):
        o, m = np.flatnonzero(seen), np.flatnonzero(~seen)
        weights = MATRIX[np.ix_(m, o)] @ np.linalg.inv(MATRIX[np.ix_(o, o)])
        left = MATRIX[np.ix_(m, m)] - weights @ MATRIX[np.ix_(o, m)]
        np.testing.assert_allclose(x[o], row[o])
        np.testing.assert_allclose(x[m], weights @ row[o], rtol=1e-6)
        assert det == pytest.approx(0.5 * np.linalg.slogdet(left)[1], abs=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_draws_have_the_covariance(form):
    drawn = form.draw(np.random.default_rng(1), 40_000)
    np.testing.assert_allclose(np.cov(drawn.T), MATRIX, atol=0.05 * MATRIX.max())


@pytest.mark.parametrize("p", [5, 60])
def test_filled_tables_have_the_moments_of_the_complete_ones(p):
    rng = np.random.default_rng(p)
    cut, whole = tables(rng, 0.3, p=p)
    codes = np.repeat(np.arange(len(cut)), [len(table) for table in cut])
    every = fit_gaps(cut).filled(np.concatenate(cut), codes)
    filled = [every[codes == i] for i in range(len(cut))]
    for a, b, c in zip(filled, whole, cut, strict=True):
        np.testing.assert_array_equal(a[~np.isnan(c)], c[~np.isnan(c)])
        assert np.abs(a.mean(axis=0) - b.mean(axis=0)).max() < 0.25 * b.std()
        assert np.median(np.abs(np.corrcoef(a.T) - np.corrcoef(b.T))) < 0.04
        assert np.median(np.abs(a.std(axis=0) / b.std(axis=0) - 1)) < 0.04


def test_complete_tables_are_filled_with_nothing():
    _, whole = tables(RNG, 0.0)
    model = fit_gaps(whole)
    codes = np.repeat(np.arange(len(whole)), [len(table) for table in whole])
    every = np.concatenate(whole)
    assert model.filled(every, codes) is every
    assert model.missing == 0
    np.testing.assert_allclose(model.means[0], whole[0].mean(axis=0), atol=0.02)


def test_no_difference_is_filled_in_that_chance_explains():
    cut, _ = tables(np.random.default_rng(3), 0.5, offset=0.0)
    model = fit_gaps(cut)
    seen = np.abs(np.nanmean(cut[0], axis=0) - np.nanmean(cut[1], axis=0))
    assert seen.max() > 0.05
    np.testing.assert_allclose(model.means[0], model.means[1], atol=1e-12)


def test_draws_keep_the_moments_that_were_estimated():
    rng = np.random.default_rng(0)
    expected, missing = rng.normal(size=(500, 3)), rng.random((500, 3)) < 0.3
    left = np.diag(missing.sum(axis=0).astype(float))
    e = matched(expected, rng.normal(size=(500, 3)), missing, left)
    assert (e[~missing] == 0).all()
    np.testing.assert_allclose(e.sum(axis=0), 0, atol=1e-6)
    u = expected - expected.mean(axis=0)
    np.testing.assert_allclose((u + e).T @ (u + e), u.T @ u + left, atol=1e-3)
