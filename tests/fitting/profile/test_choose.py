"""Which of the equally likely orders comes first."""

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.choose import choose, score
from elsewhere.fitting.profile.options import DEFAULT
from elsewhere.fitting.profile.orders.orderings import Ordering
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.profile.refit import Fitted
from elsewhere.fitting.profile.report import tie_notes

ORDERS = ((0, 1), (1, 0))
ORDER = Ordering(0.0, 0.0, (0, 1), (0, 1))


@pytest.fixture(scope="module")
def problem():
    rows = np.random.default_rng(0).standard_normal((2, 5_000, 2))
    tables = dict(enumerate(rows))
    return make_problem(tables, tables, 0.5, DEFAULT)


def fitted(order, kind, train):
    mechanisms = Mechanisms(np.zeros((2, 2, 2)), np.ones((2, 2)), np.zeros((2, 2)))
    ordering, held = Ordering(0.0, 0.0, order, order), [np.full(10, -1.0)] * 2
    return Fitted(ordering, np.eye(2, 3), np.full(2, kind), mechanisms, train, held)


def chosen(problem, own, one_scale):
    fits = [
        [fitted(order, kind, train) for order, train in zip(ORDERS, trains, strict=True)]
        for kind, trains in ((OWN, own), (OWN_BUT_SCALE, one_scale))
    ]
    return choose(problem, *fits)


def test_where_own_scales_win_the_order_that_nearly_shares_them_comes_first(problem):
    choices = chosen(problem, own=(-1.0, -1.0005), one_scale=(-1.5, -1.2))
    assert [choice.fitted.ordering.order for choice in choices] == [(1, 0), (0, 1)]
    assert all((choice.fitted.kinds == OWN).all() for choice in choices)
    assert choices[0].score == choices[1].score


def test_a_note_says_when_nothing_tells_the_orders_apart(problem):
    (note,) = tie_notes(chosen(problem, own=(-1.0, -1.0005), one_scale=(-1.5, -1.2)))
    assert "2 orders" in note
    assert "consensus" in note
    assert tie_notes(chosen(problem, own=(-1.0, -1.0), one_scale=(-1.0, -1.2))) == ()
    assert tie_notes(chosen(problem, own=(-1.0, -1.0), one_scale=(-1.5, -1.2))[:1]) == ()


@pytest.mark.parametrize(("one_scale", "first"), [((-1.0, -1.2), (0, 1)), ((-1.2, -1.0), (1, 0))])
def test_an_order_that_shares_its_scales_is_preferred(problem, one_scale, first):
    preferred, other = chosen(problem, own=(-1.0, -1.0), one_scale=one_scale)
    assert preferred.fitted.ordering.order == first
    assert (preferred.fitted.kinds == OWN_BUT_SCALE).all()
    assert preferred.score > other.score


def test_where_a_changed_variable_stands_does_not_outweigh_its_scales(problem):
    near, far = fitted((0, 1), OWN, -1.0), fitted((1, 0), OWN, -1.0)
    near = replace(near, kinds=np.array([OWN, SHARED]), ordering=replace(ORDER, changed=(0,)))
    far = replace(far, kinds=np.array([SHARED, OWN]), ordering=replace(ORDER, changed=(0,)))
    assert score(problem, near) > score(problem, far)
    one = [
        replace(one, kinds=np.where(one.kinds == OWN, OWN_BUT_SCALE, SHARED), train=train)
        for one, train in ((near, -1.5), (far, -1.2))
    ]
    first, second = choose(problem, [near, far], one)
    assert first.fitted is far
    assert first.score == second.score
