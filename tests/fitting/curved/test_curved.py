"""Curved mechanisms: the objective, the orders, and a world that straight ones cannot explain."""

from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.fitting import Auto, FitError, Options, Profile, fit
from elsewhere.fitting.curved import Curved
from elsewhere.fitting.curved.fit import MOST_COLUMNS
from elsewhere.fitting.curved.mechanisms import curve_moments, model_of
from elsewhere.fitting.curved.objective import climb, moments, profile
from elsewhere.fitting.curved.orders import cheapest, sharing_costs
from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.profile.likelihood import held_out_rows, mean_over_domains
from elsewhere.fitting.profile.whitening import whitening
from elsewhere.scm import AdditiveSCM

QUICK = Options(starts=4, steps=8, rounds=0, parents=2, polish_steps=4, classes=2)
M = 3


def curved_world(n=1_500):
    """x = A z, in which the third mechanism of three is each domain's own; and the truth."""
    rng = np.random.default_rng(3)
    A, effects = rng.normal(size=(M, M)), [(2.5, -2.0, 1.0), (-1.5, 2.5, -1.0)]

    def made(eps, d):
        z = eps.copy()
        a, b, c = effects[d]
        z[:, 1] = 2 * np.tanh(2 * z[:, 0]) + eps[:, 1]
        z[:, 2] = a * np.tanh(2 * z[:, 0]) + b * np.tanh(z[:, 1]) + c + eps[:, 2]
        return z @ A.T

    noise = rng.normal(size=(2, n, M))
    return {d: made(noise[d], d) for d in (0, 1)}, made(noise[0], 1)


@pytest.fixture(scope="module")
def fitted():
    tables, truth = curved_world()
    curved = fit(jax.random.key(0), tables, k=1, engine=Curved(QUICK))
    straight = fit(jax.random.key(0), tables, k=1, engine=Profile("linear", options=QUICK))
    return tables, truth, curved, straight


def test_it_finds_what_straight_mechanisms_cannot(fitted):
    tables, truth, curved, straight = fitted
    errors = [
        ((np.asarray(r.model.move(tables[0], d=0, d_prime=1)) - truth) ** 2).mean()
        for r in (curved, straight)
    ]
    assert errors[0] < 0.1 * errors[1]
    assert curved.log_likelihood > straight.log_likelihood + 0.1
    assert all(isinstance(scm, AdditiveSCM) for scm in curved.model.scms)


def test_the_ladder_takes_it_where_straight_mechanisms_leave_noise_that_differs(fitted):
    result = fit(jax.random.key(1), fitted[0], k="auto", engine=Auto(options=QUICK))
    used = [e.words for e in result.explanations if e.used]
    assert used == ["1 of 3 mechanisms differ, curved ones with a linear mixing"]
    assert isinstance(result.engine, Curved)
    x = fitted[0][0][:20]
    _, left_open = result.simpler.variances_of(x, d=0, d_prime=1)
    assert (result.uncertainty(x, d=0, d_prime=1) ** 2 >= left_open - 1e-9).all()


def test_all_but_k_mechanisms_are_shared(fitted):
    here, there = fitted[2].model.scms
    differ = (np.asarray(here.weights) != np.asarray(there.weights)).any(axis=(1, 2))
    assert differ.sum() == 1
    np.testing.assert_array_equal(differ, np.asarray(here.bias) != np.asarray(there.bias))


def test_the_objective_is_the_likelihood_of_the_model():
    tables, _ = curved_world(n=400)
    white = whitening(list(tables.values()))
    rows = [white(x) for x in tables.values()]
    W = np.random.default_rng(0).normal(size=(M, M))
    kinds = np.array([SHARED, OWN, SHARED])
    packed = jnp.asarray(np.stack([x.T for x in rows]).astype(np.float32))
    shared = jnp.asarray((kinds == SHARED).astype(np.float32))
    value = float(profile(jnp.asarray(W, jnp.float32), packed, shared))
    model = model_of(W, kinds, rows, white, (0, 1))
    exact = mean_over_domains(held_out_rows(model, tables)) - white.log_det
    # the ridge lets noise of a bend pass for noise of the mechanism
    assert value - 0.5 * M * np.log(2 * np.pi * np.e) == pytest.approx(exact, abs=2e-3)


def test_climbing_from_several_starts_raises_each():
    tables, _ = curved_world(n=300)
    white = whitening(list(tables.values()))
    rows = jnp.asarray(np.stack([white(x).T for x in tables.values()]).astype(np.float32))
    starts = np.random.default_rng(1).normal(size=(3, M, M))
    kinds = np.zeros((3, M), int)
    before = [float(profile(jnp.asarray(W, jnp.float32), rows, jnp.ones(M))) for W in starts]
    axes, values = climb(starts, rows, kinds, 20)
    assert (values > before).all()
    after = [float(profile(jnp.asarray(W, jnp.float32), rows, jnp.ones(M))) for W in axes]
    np.testing.assert_allclose(after, values, atol=1e-4)


@pytest.mark.parametrize("k", [0, 1, 2, M])
def test_the_cheapest_order_is_the_best_of_all(k):
    tables, _ = curved_world(n=200)
    white = whitening(list(tables.values()))
    latents = [white(x) for x in tables.values()]
    costs = sharing_costs(curve_moments(latents)[1])

    def loss(order):
        prices = [costs.whole[j, sum(1 << i for i in order[:n])] for n, j in enumerate(order)]
        return sum(sorted(prices)[: M - k])

    order, kinds = cheapest(costs, k)
    placed = [costs.whole[j, sum(1 << i for i in order[:n])] for n, j in enumerate(order)]
    found = sum(p for p, kind in zip(placed, kinds, strict=True) if kind == SHARED)
    assert (kinds == OWN).sum() <= k
    assert found == pytest.approx(min(map(loss, permutations(range(M)))), abs=1e-12)


def test_moments_of_curves_are_those_of_numpy():
    z = np.random.default_rng(0).normal(size=(2, 400, M))
    unit = (z - z.mean(axis=(0, 1))) / z.std(axis=(0, 1))
    _, covariances, _ = moments(jnp.asarray(np.swapaxes(z, 1, 2).astype(np.float32)))
    np.testing.assert_allclose(covariances, curve_moments(list(unit))[1], atol=1e-4)


def test_many_columns_are_refused():
    x = np.random.default_rng(0).normal(size=(2, 60, MOST_COLUMNS + 1))
    with pytest.raises(FitError, match=f"at most {MOST_COLUMNS} columns; got {MOST_COLUMNS + 1}"):
        fit(jax.random.key(0), x, k=1, engine=Curved())
