"""Symmetric maps of codes: the least change between two covariances, judged by exchange."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.fitting.moments import turns
from elsewhere.fitting.moments.directions import principal_directions
from elsewhere.fitting.moments.turns import exponential, log_least_change, shrunken_turns

SIZES = {"r": st.integers(1, 6), "seed": st.integers(0, 99)}


def symmetric(r, seed, size=0.3):
    G = size * np.random.default_rng(seed).standard_normal((r, r))
    return (G + G.T) / 2


@given(**SIZES)
def test_the_least_change_between_two_covariances(r, seed):
    lam = np.random.default_rng(seed).uniform(0.5, 5, r)
    A = exponential(symmetric(r, seed))
    found = log_least_change(lam, A @ np.diag(lam) @ A, 1e9)
    np.testing.assert_allclose(found, symmetric(r, seed), atol=1e-8)


@given(**SIZES)
def test_the_exponential_has_its_inverse(r, seed):
    G = symmetric(r, seed, 1.0)
    np.testing.assert_allclose(exponential(G) @ exponential(-G), np.eye(r), atol=1e-8)
    sign, log_det = np.linalg.slogdet(exponential(G))
    assert sign == 1
    np.testing.assert_allclose(log_det, np.trace(G), atol=1e-8)


@given(**SIZES)
def test_few_rows_draw_the_change_towards_none(r, seed):
    lam = np.random.default_rng(seed).uniform(0.5, 5, r)
    A = exponential(symmetric(r, seed))
    S = A @ np.diag(lam) @ A
    sizes = [np.linalg.norm(log_least_change(lam, S, n)) for n in (r + 2.0, 3.0 * r, 1e9)]
    if r > 1:
        assert sizes[0] < sizes[1] < sizes[2]


@given(r=st.integers(0, 30))
def test_places_cover_the_lower_triangle_once(r):
    places = sorted(
        (int(a), int(b)) for i, j in turns._places(r) for a, b in zip(i, j, strict=True)
    )
    assert places == [(a, b) for a in range(r) for b in range(a + 1)]


def turned_tables(counts, G):
    rng = np.random.default_rng(1)
    rows = [rng.standard_normal((n, len(G))) * [2.0, 1.5, 1.0] for n in counts]
    rows[1] = rows[1] @ exponential(G)
    rows = [table - table.mean(axis=0) for table in rows]
    return rows, principal_directions(np.concatenate(rows), sum(counts) - 2)


def test_a_turn_is_found_and_a_missing_one_is_not():
    G = np.array([[0.3, 0.2, 0.0], [0.2, -0.3, 0.0], [0.0, 0.0, 0.0]])
    found = shrunken_turns(*turned_tables((400, 400), G))
    assert found.supported
    assert np.abs(found.means).max() > 0.1
    np.testing.assert_allclose(found.means, np.swapaxes(found.means, 1, 2))
    np.testing.assert_allclose(found.means.sum(axis=0), 0, atol=1e-12)
    none = shrunken_turns(*turned_tables((400, 400), 0 * G))
    assert not none.supported
    assert not none.means.any()
    assert (none.variances >= 0).all()


def test_a_domain_with_fewer_rows_than_codes_is_not_turned():
    found = shrunken_turns(*turned_tables((400, 4), 3 * np.eye(3)))
    assert not found.supported
    rows, codes = turned_tables((400, 4), 3 * np.eye(3))
    others = shrunken_turns([*rows, rows[0]], codes)
    assert not others.supported
