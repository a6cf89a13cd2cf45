"""What covariances leave open of a turn, against turns about another shared covariance."""

import numpy as np
import pytest

from elsewhere.fitting.moments.left_open import forms_left_open, variance_left_open
from elsewhere.fitting.moments.turns import exponential, log_least_change

LAMBDA, SMALL = np.array([2.0, 1.0, 0.5]), 0.01


def symmetric(rng, count):
    """Of variance 1, 2 on the diagonal, in units of SMALL."""
    drawn = rng.standard_normal((count, 3, 3))
    return SMALL * (drawn + drawn.swapaxes(1, 2)) / np.sqrt(2)


def between(turns, i, j):
    return exponential(turns[j]) @ np.linalg.inv(exponential(turns[i]))


def about(shared, turns):
    """The symmetric turns about another shared covariance that bring the same covariances."""
    values, vectors = np.linalg.eigh(shared)
    found = []
    for turn in turns:
        A = exponential(turn)
        inside = vectors.T @ A @ np.diag(LAMBDA) @ A @ vectors
        found.append(vectors @ log_least_change(values, inside, 1e9) @ vectors.T)
    return found


@pytest.fixture
def turns():
    drawn = symmetric(np.random.default_rng(1), 3)
    return drawn - drawn.mean(axis=0)


def test_it_is_how_far_turns_about_another_shared_covariance_are(turns):
    rng, c = np.random.default_rng(2), np.array([[1.0, -0.5, 0.8]])
    spread = (turns**2).sum() / 2 / 12
    squares = []
    for H in symmetric(rng, 1500) / SMALL * np.sqrt(spread / 3):
        root = np.eye(3) + H
        other = about(root @ np.diag(LAMBDA) @ root, turns)
        squares.append(((between(other, 0, 1) - between(turns, 0, 1)) @ c[0]) ** 2)
    found = variance_left_open(c, forms_left_open(0 * turns, turns, LAMBDA, 0, 1))
    np.testing.assert_allclose(found[0], np.mean(squares, axis=0), rtol=0.15)


def test_nothing_is_open_between_domains_that_do_not_differ(turns):
    forms = forms_left_open(0 * turns, turns, LAMBDA, 1, 1)
    np.testing.assert_allclose(forms, 0, atol=1e-12)


def test_effects_that_commute_with_all_others_leave_nothing_open():
    same = np.multiply.outer([0.1, -0.3, 0.2], np.eye(3))
    np.testing.assert_allclose(forms_left_open(same, same, LAMBDA, 0, 2), 0, atol=1e-12)


def test_whether_scales_act_before_turns_matters_where_they_do_not_commute(turns):
    scales = np.multiply.outer([0.2, -0.1, -0.1], np.diag([1.0, 0.0, -1.0]))
    order = [0.5 * (s @ g - g @ s) for s, g in zip(scales, turns, strict=True)]
    c = np.array([[0.3, 1.0, -2.0]])
    at_once = variance_left_open(c, forms_left_open(0 * turns, scales + turns, LAMBDA, 0, 1))
    in_turn = variance_left_open(c, forms_left_open(scales, turns, LAMBDA, 0, 1))
    np.testing.assert_allclose(in_turn - at_once, ((order[1] - order[0]) @ c[0])[None] ** 2)
