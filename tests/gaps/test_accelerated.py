"""Steps of expectation–maximisation taken together end where single steps would, in fewer."""

import numpy as np
import pytest

from elsewhere.gaps import fit_gaps
from elsewhere.gaps.accelerated import fixed_point, moved


def slow(means, matrices):
    """A step that closes a tenth of the distance to its fixed point."""
    goal = np.array([[3.0, -1.0]]), np.array([[[2.0, 0.5], [0.5, 1.0]]])
    return means + 0.1 * (goal[0] - means), matrices + 0.1 * (goal[1] - matrices)


@pytest.mark.fast
def test_a_slow_step_arrives_in_few():
    count = 0

    def counted(means, matrices):
        nonlocal count
        count += 1
        return slow(means, matrices)

    start = np.zeros((1, 2)), np.eye(2)[None]
    means, matrices = fixed_point(counted, start, 1e-6, 300)
    np.testing.assert_allclose(means, [[3.0, -1.0]], atol=1e-4)
    np.testing.assert_allclose(matrices, [[[2.0, 0.5], [0.5, 1.0]]], atol=1e-4)
    assert count < 70  # single steps need 130


@pytest.mark.fast
def test_changes_count_along_directions_that_hardly_vary():
    narrow = np.array([[1.0, 0.999], [0.999, 1.0]])[None]
    wider = narrow + 0.001 * np.array([[1.0, -1.0], [-1.0, 1.0]])[None]
    means = np.zeros((1, 2))
    assert moved((means, narrow), (means, narrow)) == 0
    assert moved((means, narrow), (means, wider)) > 0.5


def test_half_of_the_entries_tell_directions_in_which_rows_hardly_vary():
    """A direction with a hundredth of the others' deviation, in two domains that differ in it."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    spreads = np.array([[1.0, 1.0, 1.0, 0.02], [1.0, 1.0, 0.02, 1.0]])
    whole = [rng.normal(size=(3_000, 4)) * s @ turn.T for s in spreads]
    cut = [np.where(rng.random(t.shape) < 0.5, np.nan, t) for t in whole]
    model = fit_gaps(cut)
    for covariance, s in zip(model.covariances, spreads, strict=True):
        found = np.sqrt(np.diag(turn.T @ covariance.matrix @ turn))
        np.testing.assert_allclose(found / s, 1.0, atol=0.3)
