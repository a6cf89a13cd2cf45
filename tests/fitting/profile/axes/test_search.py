"""The search for axes: moves, and the part of it that shares mechanisms."""

from dataclasses import replace

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import Options, Profile, fit_each
from elsewhere.fitting.profile.axes.anneal import annealed
from elsewhere.fitting.profile.axes.climb import climb, exact, settle
from elsewhere.fitting.profile.axes.moves import best_distinct, idle_redrawn, mutants, random_starts
from elsewhere.fitting.profile.axes.population import Population, compared, dense
from elsewhere.fitting.profile.axes.search import Found, explore, find_axes, go_on, hopeful
from elsewhere.fitting.profile.axes.sharing import find_sharing_axes
from elsewhere.fitting.profile.candidates import least_loss
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.split import named_tables

OPTIONS = Options(starts=16, rounds=4, explore_rows=1_500, compare_rows=3_000, steps=15)


@pytest.fixture(scope="module")
def data():
    truth_key, data_key = jax.random.split(jax.random.key(1))
    truth = simulated_truth(truth_key, 3, 3, (1, 2))
    return simulate(data_key, truth, train=4_000, valid=1_000, test=10)


@pytest.fixture(scope="module")
def problem(data):
    tables = [named_tables("data", np.asarray(x)) for x in (data.train, data.valid)]
    return make_problem(*tables, 0.5, OPTIONS)


@given(st.integers(0, 1_000), st.integers(1, 6), st.sampled_from([1e-3, 1.0, 1e4]))
def test_new_kinks_lie_where_the_points_are(seed, m, scale):
    rng = np.random.default_rng(seed)
    parents, points = random_starts(rng, 2, m), scale * rng.standard_normal((20, m))
    children = mutants(rng, parents, 24, points)
    assert children.shape == (24, m, m + 1)
    for child in children:
        changed = [row for row in child if not _among(row, parents)]
        assert len(changed) <= 1
        for row in changed:
            side = points @ row[:-1] + row[-1]
            assert side.min() <= 1e-9 * scale
            assert side.max() >= -1e-9 * scale


def _among(row, parents):
    return (np.abs(np.abs(parents) - np.abs(row)) < 1e-12).all(-1).any()


def test_the_best_are_listed_once_for_each_likelihood():
    assert best_distinct(np.array([1.0, 3.0, 2.9999, 2.0]), 3) == [1, 3, 0]
    assert best_distinct(np.array([1.0, 1.0]), 3) == [0, 0, 0]


def test_a_fit_settles_where_climbing_on_gains_nothing(problem):
    start = random_starts(np.random.default_rng(2), 3, problem.m)
    given = (problem.rows, dense(start), problem.kink)
    once, _ = climb(start, *given, (0.05,), 4)
    settled = settle(start, *given, (0.05,), 4)
    again = settle(settled[:1], problem.rows, dense(start[:1]), problem.kink, (0.05,), 4)
    assert settled.shape == start.shape
    assert (exact(settled, *given) >= exact(once, *given) - 1e-6).all()
    assert exact(settled, *given).max() > exact(once, *given).max() + 0.01
    assert again.shape == (1, *start.shape[1:])


def test_a_fit_that_cannot_climb_stays(problem):
    flat = np.zeros((1, problem.m, problem.m + 1))
    stays = settle(flat, problem.rows, dense(flat), problem.kink, (0.05,), 2)
    np.testing.assert_array_equal(stays, flat)


def test_hopeful_fits_are_distinct_and_near_the_best():
    stack = random_starts(np.random.default_rng(0), 3, 2)[[0, 1, 0, 2]]
    assert sorted(hopeful(stack, np.array([1.0, 0.98, 1.0, 0.9]))) == [0, 1]


def test_sharing_is_sought_from_axes_that_do_not_share(problem):
    rng = np.random.default_rng(0)
    found = find_axes(rng, problem)
    wrong = random_starts(rng, OPTIONS.parents, problem.m)
    lost = replace(found, axes=wrong[0], runners_up=wrong)
    better = find_sharing_axes(rng, problem, 1, lost, rounds=4, patience=4)
    assert least_loss(problem, wrong[0], 1) > 0.05
    assert least_loss(problem, better.axes, 1) < least_loss(problem, wrong[0], 1) / 2


def test_a_search_goes_on_from_a_wrong_basin(problem):
    rng = np.random.default_rng(0)
    wrong = random_starts(rng, OPTIONS.parents, problem.m)
    better = go_on(rng, problem, Found(wrong[0], wrong[0], wrong, agreeing=5))
    best = find_axes(rng, problem).axes
    values = exact(
        np.stack([wrong[0], better.dense, best]), problem.rows, dense(wrong[:3]), problem.kink
    )
    assert better.axes is better.dense
    assert values[1] > values[0] + 0.05
    assert values[1] == pytest.approx(values[2], abs=0.01)


def test_axes_that_share_stay_as_they_are(problem):
    axes = find_axes(np.random.default_rng(0), problem).axes
    found = Found(axes, axes, axes[None], 1)
    same = find_sharing_axes(np.random.default_rng(0), problem, 3, found, rounds=4, patience=4)
    assert same is found


def test_one_search_serves_several_k(data):
    train, valid = np.asarray(data.train), np.asarray(data.valid)
    engine = Profile(options=OPTIONS)
    fits = fit_each(jax.random.key(0), train, ks=[2, None], valid=valid, engine=engine)
    assert fits[2].k == 2
    assert fits[None].k is None
    assert abs(fits[2].log_likelihood - fits[None].log_likelihood) < 0.02


def test_an_idle_kink_is_drawn_anew_where_the_points_are():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((200, 4))
    parent = np.concatenate([np.eye(4), [[0.0], [9.0], [0.1], [-9.0]]], axis=1)
    for child in idle_redrawn(rng, parent[None], 12, points):
        (changed,) = np.flatnonzero((child != parent).any(axis=1))
        assert changed in (1, 3)
        side = points @ child[changed, :-1] + child[changed, -1]
        assert side.min() <= 1e-9
        assert side.max() >= -1e-9


def test_a_population_tells_agreement_from_rough_ground():
    stack = np.zeros((4, 2, 3))
    smooth = Population(stack, np.array([1.0, 0.999, 0.95, 0.2]))
    assert smooth.agreeing == 2
    assert not smooth.is_rough(3)
    assert smooth.is_rough(4)
    assert smooth.joined(smooth).agreeing == 4


def test_annealing_reaches_the_truth_that_climbing_misses():
    """Latents that nearly determine each other: the rows lie on thin sheets."""
    truth_key, data_key = jax.random.split(jax.random.key(0))
    truth = simulated_truth(truth_key, 8, 3, (0, 1), bias="sparse")
    data = simulate(data_key, truth, train=2_000)
    tables = [named_tables("data", np.asarray(x)) for x in (data.train, data.valid)]
    problem = make_problem(*tables, 0.5, Options(starts=8, rounds=0))
    cold = explore(np.random.default_rng(0), problem)
    starts = random_starts(np.random.default_rng(0), 8, problem.m)
    hot = compared(problem, annealed(problem, starts, dense(starts)))
    assert cold.is_rough(8)
    assert hot.values.max() > cold.values.max() + 0.1


@pytest.mark.parametrize(("m", "starts"), [(1, 1), (2, 1), (3, 2)])
def test_fewer_starts_than_parents_still_fit(m, starts):
    rng = np.random.default_rng(0)
    mix = np.eye(m) + np.tril(rng.standard_normal((m, m)), -1)
    rows = {d: rng.standard_normal((400, m)) @ mix.T + d for d in range(2)}
    engine = Profile(options=Options(starts=starts, rounds=2, steps=5))
    (result,) = fit_each(jax.random.key(0), rows, ks=[1], engine=engine).values()
    x = jax.numpy.asarray(rows[0][:3])
    assert np.isfinite(result.counterfactuals(x, d=0, d_prime=1)).all()
