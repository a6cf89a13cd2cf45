"""The changed block of a linear mixing is found whatever basis the search starts from."""

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.profile.options import DEFAULT
from elsewhere.fitting.profile.orders.orderings import Ordering
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.profile.refit import Fitted, share_scales, with_axes
from elsewhere.fitting.profile.turned import _rotations, with_turned

ORDER = Ordering(0.0, 0.0, (0, 1, 2), (1, 2))
WEIGHTS = ((0.9, -0.4, 0.8), (-0.7, 0.8, -0.9), (0.2, -0.9, 0.1))  # of the changed mechanisms


def rows(n=4_000):
    """z₀ = ε₀, z₁ = a z₀ + ε₁, z₂ = b z₀ + c z₁ + ε₂: a, b and c are each domain's own."""
    rng = np.random.default_rng(0)
    mixing, tables = rng.normal(size=(3, 3)), {}
    for d, (a, b, c) in enumerate(WEIGHTS):
        e = rng.normal(size=(n, 3))
        first = a * e[:, 0] + e[:, 1]
        z = np.c_[e[:, 0], first, b * e[:, 0] + c * first + e[:, 2]]
        tables[d] = z @ mixing.T
    return mixing, tables


@pytest.fixture(scope="module")
def truth():
    mixing, tables = rows()
    problem = make_problem(tables, tables, 1.0, DEFAULT)
    white = problem.white
    W = np.linalg.inv(mixing) * white.unit @ np.linalg.inv(white.matrix)
    axes, kinds = np.c_[W, np.zeros(3)], np.array([SHARED, OWN, OWN])
    start = Fitted(ORDER, axes, kinds, problem.mechanisms(axes, kinds), 0.0, [])
    return problem, with_axes(problem, start, axes)


def turned_by(problem, fitted, angle):
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[1, 0, 0], [0, cos, sin], [0, -sin, cos]])
    return with_axes(problem, fitted, turn @ fitted.axes)


def test_the_best_basis_for_one_scale_is_found_from_every_other(truth):
    problem, right = truth
    (best,) = share_scales(problem, [right])
    nearest, found = [], []
    for angle in np.pi * np.arange(6) / 6:
        own = [turned_by(problem, right, angle)]
        one = share_scales(problem, own)
        nearest.append(one[0].train)
        mine, shared = with_turned(problem, own, one)
        assert len(mine) == len(shared)
        assert all(fitted.train == pytest.approx(right.train, abs=1e-3) for fitted in mine)
        found.append(max(fitted.train for fitted in shared))
    assert min(found) > best.train - 1e-4
    assert min(nearest) < best.train - 1e-3  # where the climb from the basis alone ends


def test_nothing_is_added_where_domains_have_scales_of_their_own(truth):
    problem, right = truth
    scaled = {d: t * (1.0 + 0.5 * d) for d, t in enumerate(problem.train)}
    other = make_problem(scaled, scaled, 1.0, DEFAULT)
    own = [with_axes(other, right, right.axes)]
    one = [
        replace(own[0], train=own[0].train - 0.5, kinds=np.array([SHARED, *[OWN_BUT_SCALE] * 2]))
    ]
    assert with_turned(other, own, one) == (own, one)


@pytest.mark.fast
def test_rotations_are_rotations():
    for k in (2, 3, 5):
        turns = _rotations(k)
        np.testing.assert_allclose(
            turns @ turns.mT, np.broadcast_to(np.eye(k), turns.shape), atol=1e-9
        )
