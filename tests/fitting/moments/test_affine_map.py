"""The map between domains: its laws, its density, and what it says of its errors."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from maps import random_map
from scipy.stats import multivariate_normal

from elsewhere.errors import DomainError
from elsewhere.fitting.moments.turns import exponential
from elsewhere.fitting.result import Uncertain
from elsewhere.movers import Density

MAPS = st.builds(
    dict,
    p=st.integers(1, 6),
    r=st.integers(0, 6),
    num_domains=st.integers(2, 4),
    seed=st.integers(0, 999),
    carried=st.just(1.0),
)
EFFECTS = ("offsets", "scales", "turns")
WIDE = st.builds(
    dict,
    p=st.integers(2, 6),
    r=st.integers(0, 2),
    num_domains=st.integers(2, 4),
    seed=st.integers(0, 999),
    carried=st.floats(0, 0.99),
)


def rows_for(model, n=5):
    return model.centre + 2 * model.unit * np.random.default_rng(7).standard_normal((n, model.m))


def without(effects):
    """No effects, and nothing unknown about them."""
    return replace(effects, means=0 * effects.means, variances=0 * effects.variances)


@given(drawn=MAPS | WIDE)
def test_to_its_own_domain_a_row_stays_exactly(drawn):
    model = random_map(**drawn)
    x = rows_for(model)
    for d in model.domains:
        np.testing.assert_array_equal(model.move(x, d=d, d_prime=d), x)
        np.testing.assert_array_equal(model.standard_error(x, d=d, d_prime=d), 0 * x)


@given(drawn=MAPS)
def test_by_way_of_another_domain_the_answer_is_the_same(drawn):
    model = random_map(**drawn)
    x, (a, b, c) = rows_for(model), (model.domains[i] for i in (0, 1, -1))
    by_way = model.move(model.move(x, d=a, d_prime=b), d=b, d_prime=c)
    np.testing.assert_allclose(by_way, model.move(x, d=a, d_prime=c), rtol=1e-8, atol=1e-8)


@given(drawn=MAPS)
def test_it_is_the_formula(drawn):
    model = random_map(**drawn)
    x, (a, b) = rows_for(model), (0, len(model.domains) - 1)
    V, answers = model.codes, []
    A = [np.eye(model.m) + V @ (exponential(G) - np.eye(len(G))) @ V.T for G in model.turns.means]
    stretch = model.unit * np.exp(model.scales.means)
    for row in x:
        z = (row - model.centre) / stretch[a] - model.offsets.means[a]
        u = np.linalg.solve(A[a], z)
        answers.append(model.centre + stretch[b] * (A[b] @ u + model.offsets.means[b]))
    found = model.move(x, d=model.domains[a], d_prime=model.domains[b])
    np.testing.assert_allclose(found, answers, rtol=1e-8, atol=1e-8)


@given(drawn=MAPS | WIDE)
def test_noise_and_rows_made_of_it_undo_each_other(drawn):
    model = random_map(**drawn)
    x = rows_for(model)
    for d in model.domains:
        np.testing.assert_allclose(model.made(model.noise(x, d=d), d=d), x, rtol=1e-7, atol=1e-7)


@given(drawn=MAPS)
def test_a_move_keeps_the_noise(drawn):
    model = random_map(**drawn)
    x, a, b = rows_for(model), model.domains[0], model.domains[-1]
    moved = model.move(x, d=a, d_prime=b)
    np.testing.assert_allclose(model.noise(moved, d=b), model.noise(x, d=a), rtol=1e-6, atol=1e-6)


@given(drawn=MAPS | WIDE)
def test_the_density_is_that_of_a_normal(drawn):
    """Rows are made by an affine map of ε: its columns give mean and covariance."""
    model = random_map(**drawn)
    x = rows_for(model)
    for d in model.domains:
        mean = model.made(np.zeros((1, model.m)), d=d)[0]
        root = model.made(np.eye(model.m), d=d) - mean
        expected = multivariate_normal(mean, root.T @ root, allow_singular=True).logpdf(x)
        np.testing.assert_allclose(model.log_density(x, d=d), expected, rtol=1e-6, atol=1e-6)


@given(drawn=MAPS | WIDE)
def test_errors_are_positive_between_domains(drawn):
    model = random_map(**drawn)
    x, a, b = rows_for(model), model.domains[0], model.domains[-1]
    error = model.standard_error(x, d=a, d_prime=b)
    assert error.shape == x.shape
    assert np.isfinite(error).all()
    assert (error > 0).all()


@given(drawn=MAPS)
def test_the_error_of_offsets_alone_is_exact(drawn):
    """With scales and turns known, x_{d→d'} is linear in the offsets: no first order is needed."""
    model = random_map(**drawn)
    plain = replace(model, scales=without(model.scales), turns=without(model.turns))
    i, j = 0, len(model.domains) - 1
    U, v = plain.offsets.weights, plain.offsets.variances
    expected = plain.unit * np.sqrt(((U[:, j] - U[:, i]) ** 2) @ v)
    found = plain.standard_error(rows_for(plain), d=plain.domains[i], d_prime=plain.domains[j])
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-9)


def test_what_the_codes_leave_out_moves_along_whole_or_not_at_all():
    drawn = random_map(6, 2, 2, 0, carried=0.3)
    wide = replace(drawn, **{name: without(getattr(drawn, name)) for name in EFFECTS})
    x = rows_for(wide)
    u = (x - wide.centre) / wide.unit
    left = u - (u @ wide.codes * wide.reliability) @ wide.codes.T
    found = wide.standard_error(x, d="a", d_prime="b")
    np.testing.assert_allclose(found, wide.unit * np.sqrt(0.3 * 0.7) * np.abs(left))


def test_what_covariances_leave_open_of_a_turn_adds_to_the_error():
    """With all else known exactly; three domains of three codes, whose turns do not commute."""
    drawn = random_map(5, 3, 3, 0)
    known = {
        name: replace(getattr(drawn, name), variances=0.0 * getattr(drawn, name).variances)
        for name in EFFECTS
    }
    turned = replace(drawn, **known)
    plain = replace(turned, turns=without(turned.turns))
    x = rows_for(turned)
    assert (turned.standard_error(x, d="a", d_prime="b").mean(axis=0) > 0).all()
    np.testing.assert_array_equal(plain.standard_error(x, d="a", d_prime="b"), 0)


def test_it_can_be_asked_for_all_that_a_density_can():
    model = random_map(3, 2, 2, 0)
    assert isinstance(model, Density)
    assert isinstance(model, Uncertain)
    with pytest.raises(DomainError, match=r"domain must be one of \['a', 'b'\]; got 'z'"):
        model.move(np.zeros((1, 3)), d="a", d_prime="z")
