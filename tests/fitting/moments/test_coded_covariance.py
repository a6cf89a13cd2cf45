"""A covariance of few codes, against the dense matrix."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments.coded_covariance import SMALLEST, CodedCovariance

SHAPES = {"p": st.integers(1, 9), "r": st.integers(0, 9), "seed": st.integers(0, 99)}


def covariance_of(p, r, seed):
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((p, p)))[0][:, : min(r, p)]
    return CodedCovariance(basis, rng.uniform(0, 9, basis.shape[1]), rng.uniform(0.1, 2, p))


def dense(cov):
    return (cov.basis * cov.variances) @ cov.basis.T + np.diag(np.maximum(cov.own, SMALLEST))


@given(**SHAPES)
def test_white_and_coloured_undo_each_other(p, r, seed):
    cov, u = covariance_of(p, r, seed), np.random.default_rng(seed + 1).standard_normal((4, p))
    np.testing.assert_allclose(cov.coloured(cov.whitened(u)), u, atol=1e-9)
    np.testing.assert_allclose(cov.whitened(cov.coloured(u)), u, atol=1e-9)


@given(**SHAPES)
def test_it_is_the_dense_covariance(p, r, seed):
    cov, u = covariance_of(p, r, seed), np.random.default_rng(seed + 1).standard_normal((4, p))
    sigma = dense(cov)
    np.testing.assert_allclose(cov.half_log_det, 0.5 * np.linalg.slogdet(sigma)[1], atol=1e-9)
    distances = np.einsum("ij,ij->i", u, np.linalg.solve(sigma, u.T).T)
    np.testing.assert_allclose((cov.whitened(u) ** 2).sum(axis=1), distances, rtol=1e-8)
    root = cov.coloured(np.eye(p))
    np.testing.assert_allclose(root.T @ root, sigma, atol=1e-8)


def test_columns_that_codes_explain_whole_are_still_invertible():
    cov = CodedCovariance(np.eye(3), np.array([4.0, 1.0, 0.5]), np.zeros(3))
    u = np.array([[1.0, -2.0, 3.0]])
    np.testing.assert_allclose(cov.whitened(u), u / np.sqrt([4.0, 1.0, 0.5]), rtol=1e-5)
    np.testing.assert_allclose(cov.half_log_det, 0.5 * np.log(2.0), rtol=1e-4)
