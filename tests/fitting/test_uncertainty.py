"""What is not known of the answers of mechanisms, from a map by moments of the same rows."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from elsewhere.fitting import Candidate, FitResult, Profile
from elsewhere.fitting.curved import Curved
from elsewhere.fitting.layered import Layered
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.scm.additive import CURVES

ASKED = {"d": "a", "d_prime": "b"}


@dataclass(frozen=True)
class Shift:
    """A mover that knows nothing of its errors."""

    by: float
    domains: tuple = ("a", "b", "c")

    def move(self, x, *, d, d_prime):
        return np.asarray(x) + self.by


@pytest.fixture(scope="module")
def simpler():
    rng = np.random.default_rng(0)
    turns = [np.eye(3), [[1, 0.8, 0], [0, 1, 0], [0, 0, 2]], [[1, 0, 0], [0, 1, -0.7], [0, 0, 1]]]
    tables = {d: rng.standard_normal((300, 3)) @ t for d, t in zip("abc", turns, strict=True)}
    return affine_map(tables)


def result(simpler, mixing, doubt=0.0):
    shift = Candidate(Shift(1.0), 0.0, 0.0, "a shift")
    return FitResult(
        (shift,), 1, 0.0, 0.0, 0.0, "", engine=Profile(mixing), simpler=simpler, doubt=doubt
    )


X = np.random.default_rng(1).standard_normal((5, 3))


def test_few_mechanisms_have_a_share_of_the_parameters(simpler):
    few, open_ = simpler.variances_of(X, **ASKED)
    found = result(simpler, "leaky").uncertainty(X, **ASKED)
    np.testing.assert_allclose(found**2, few * (1 / 3 + 8 / 18))  # its own numbers, and axes
    assert open_.mean() > 0


def test_two_layers_have_twice_the_axes(simpler):
    few, _ = simpler.variances_of(X, **ASKED)
    one = result(simpler, "leaky")
    two = replace(one, engine=Layered())
    apart = two.uncertainty(X, **ASKED) ** 2 - one.uncertainty(X, **ASKED) ** 2
    np.testing.assert_allclose(apart, few * 8 / 18)


def test_a_linear_mixing_leaves_its_changed_block_open_and_curves_have_more_numbers(simpler):
    few, open_ = simpler.variances_of(X, **ASKED)
    linear = result(simpler, "linear")
    curved = replace(linear, engine=Curved())
    for found, numbers, turned in ((linear, 1, 1 / 3), (curved, CURVES, 1)):
        variance = found.uncertainty(X, **ASKED) ** 2
        np.testing.assert_allclose(variance, numbers * few * 2 / 3 + turned * open_)


def test_doubt_adds_its_share_of_the_difference(simpler):
    sure, doubted = (result(simpler, "leaky", w).uncertainty(X, **ASKED) for w in (0.0, 0.25))
    apart = X + 1 - simpler.move(X, **ASKED)
    np.testing.assert_allclose(doubted**2 - sure**2, 0.25 * apart**2, rtol=1e-6)


def test_without_a_map_nothing_is_known(simpler):
    alone = replace(result(simpler, "leaky"), simpler=None)
    np.testing.assert_array_equal(alone.uncertainty(X, **ASKED), 0)
