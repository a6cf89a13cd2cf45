"""Latents of a linear mixing that do not correlate: the same model, far from singular."""

import numpy as np
import pytest

from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.mechanisms import kinds_of_mechanisms
from elsewhere.fitting.profile.decorrelated import decorrelated
from elsewhere.fitting.profile.likelihood import row_log_likelihoods
from elsewhere.fitting.profile.options import DEFAULT
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.split import Named

KINDS = np.array([SHARED, SHARED, OWN, SHARED])


def nearly_parallel(gap):
    """A linear problem, and axes of which two differ by `gap`."""
    rng = np.random.default_rng(0)
    tables: Named = {d: rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)) for d in "ab"}
    problem = make_problem(tables, tables, 1.0, DEFAULT)
    axes = np.column_stack([rng.normal(size=(4, 4)), np.zeros(4)])
    axes[1, :-1] = axes[0, :-1] + gap * rng.normal(size=4)
    return problem, axes, problem.mechanisms(axes, KINDS)


@pytest.mark.parametrize("gap", [1.0, 1e-6])
def test_the_model_stays_the_same_and_axes_come_apart(gap):
    problem, axes, mechanisms = nearly_parallel(gap)
    apart, same = decorrelated(problem, axes, mechanisms)
    before, after = (
        row_log_likelihoods(a, m, problem.train, 1.0)
        for a, m in ((axes, mechanisms), (apart, same))
    )
    np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-6)
    assert np.linalg.cond(apart[:, :-1]) < 10
    np.testing.assert_array_equal(kinds_of_mechanisms(same), KINDS)
