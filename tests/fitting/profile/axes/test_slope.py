"""The slope of the rectifier is found from axes of another slope, and kept where it is right."""

import numpy as np
import pytest

from elsewhere.fitting.profile.axes.search import Found
from elsewhere.fitting.profile.axes.slope import with_best_slope
from elsewhere.fitting.profile.options import Options
from elsewhere.fitting.profile.problem import make_problem

pytestmark = pytest.mark.usefixtures("compile_fast")
TRUE = 0.3


def started(slope):
    """Two domains of x = LeakyReLU(z), with the true axes."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((2, 1500, 2)) + np.array([[[0.3, -0.2]], [[-0.5, 0.4]]])
    tables = dict(zip("ab", np.where(z > 0, z, TRUE * z), strict=True))
    problem = make_problem(tables, tables, slope, Options(steps=8))
    W = np.linalg.inv(problem.white.matrix) * problem.white.unit[:, None]
    axes = np.c_[W, problem.white.centre]
    return problem, Found(axes, axes, axes[None], 4)


def test_it_is_found_from_another():
    problem, found = with_best_slope(*started(0.5))
    assert abs(np.log(problem.slope / TRUE)) < 0.1
    assert problem.kink.stretch == pytest.approx(1 / problem.slope - 1)
    np.testing.assert_array_equal(found.axes, found.dense)


def test_where_another_brings_next_to_nothing_it_stays():
    problem, found = started(TRUE)
    same, kept = with_best_slope(problem, found)
    assert same is problem
    assert kept is found
