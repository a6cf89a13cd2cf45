"""One axis searched for while the others stay, and fits whose axes are replaced one by one."""

from dataclasses import replace

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.bijections import as_affine
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import Options
from elsewhere.fitting.profile.axes.climb import climb, exact
from elsewhere.fitting.profile.axes.moves import random_starts
from elsewhere.fitting.profile.axes.one_axis import axis_starts, one_axis
from elsewhere.fitting.profile.axes.population import compared, dense, points_of
from elsewhere.fitting.profile.axes.replaced import Replacements
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.profile.rows import rows_of
from elsewhere.fitting.split import named_tables

M = 5


@pytest.fixture(scope="module")
def truth():
    return simulated_truth(jax.random.key(3), M, 2, (0, 1), bias="sparse")


@pytest.fixture(scope="module")
def problem(truth):
    data = simulate(jax.random.key(4), truth, train=2_000, valid=500, test=10)
    tables = [named_tables("data", np.asarray(x)) for x in (data.train, data.valid)]
    return make_problem(*tables, 0.5, Options(starts=8, steps=15))


@pytest.fixture(scope="module")
def true_axes(truth, problem):
    """u = W y + β of the truth, in whitened coordinates."""
    A, b = map(np.asarray, as_affine(truth.mixing.bijections[1]))
    back = np.linalg.inv(A) @ np.diag(problem.white.unit)
    beta = np.linalg.inv(A) @ (problem.white.centre - b)
    return np.column_stack([back @ np.linalg.inv(problem.white.matrix), beta])


def value(problem, axes):
    return exact(axes[None], problem.rows, dense(axes[None]), problem.kink)[0]


@given(st.integers(0, 1_000), st.integers(1, 4), st.integers(1, 3), st.floats(0.05, 0.5))
def test_slopes_are_those_of_the_value(seed, m, D, width):
    rng = np.random.default_rng(seed)
    tables = [rng.standard_normal((60 + 9 * d, m)) + d for d in range(D)]
    problem = make_problem(dict(enumerate(tables)), dict(enumerate(tables)), 0.4, Options())
    axes, j = random_starts(rng, 1, m)[0], int(rng.integers(m))
    one = one_axis(axes, j, rows_of(tables, float), problem.kink)
    trials, step = rng.standard_normal((3, m + 1)), 1e-7
    slopes = one.value_and_slopes(trials, width)[1]
    for i, move in enumerate(step * np.eye(m + 1)):
        ends = [one.value_and_slopes(trials + sign * move, width)[0] for sign in (1, -1)]
        found = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(found, slopes[:, i], 1e-3, 1e-3)


def test_the_likelihood_of_one_axis_is_that_of_all_but_for_a_constant(problem, true_axes):
    rng, j = np.random.default_rng(0), 2
    rows = rows_of([x.T for x in problem.rows.tables], float)
    one = one_axis(true_axes, j, rows, problem.kink)
    trials = axis_starts(rng, true_axes, points_of(problem), 4)
    alone = one.value_and_slopes(trials, 1e-6)[0]
    fits = np.repeat(true_axes[None], 4, axis=0)
    fits[:, j] = trials
    together = exact(fits, rows, dense(fits), problem.kink)
    np.testing.assert_allclose(np.diff(alone), np.diff(together), atol=1e-3)


@pytest.mark.parametrize("j", range(M))
def test_a_missing_axis_is_found_again(problem, true_axes, j):
    one = one_axis(true_axes, j, problem.rows, problem.kink)
    starts = axis_starts(np.random.default_rng(j), np.eye(M, M + 1), points_of(problem), 32)
    found = true_axes.copy()
    found[j] = one.optima(starts, 1)[0]
    assert value(problem, found) > value(problem, true_axes) - 0.01


def test_one_replacement_leads_out_of_a_basin_that_holds_a_climb(problem, true_axes):
    wrong = true_axes.copy()
    wrong[0, -1] = 30.0 * np.linalg.norm(wrong[0, :-1])  # a kink beyond all rows: no kink
    held = climb(wrong[None], problem.rows, dense(wrong[None]), problem.kink, (0.1, 0.05), 30)[0]
    best = compared(problem, Replacements(np.random.default_rng(0), problem)(wrong[None])).best(1)
    assert value(problem, held[0]) < value(problem, true_axes) - 0.02
    assert value(problem, best.stack[0]) > value(problem, true_axes) - 0.02


def test_no_parent_is_looked_at_twice_and_answers_do_not_depend_on_threads(problem, monkeypatch):
    parents = random_starts(np.random.default_rng(1), 2, M)
    first = Replacements(np.random.default_rng(0), problem)
    children = first(parents)
    assert first(parents).shape == (0, M, M + 1)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    again = Replacements(np.random.default_rng(0), problem)(parents)
    np.testing.assert_array_equal(again, children)


def test_a_single_column_has_a_single_axis():
    rng = np.random.default_rng(0)
    tables = {d: np.where((z := rng.normal(d, 1, (2_000, 1))) < 0, z / 2, z) for d in range(2)}
    problem = make_problem(tables, tables, 0.5, replace(Options(), starts=4))
    children = Replacements(rng, problem)(np.array([[[1.0, 9.0]]]))  # no row beyond the kink
    assert compared(problem, children).values.max() > value(problem, np.array([[1.0, 9.0]])) + 0.01
