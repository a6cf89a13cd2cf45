"""Flows that start as leaky-linear fits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.bijections import push
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import Effort, Options, fit, fit_flow
from elsewhere.fitting.flow.start import flow_maker, outer_part
from elsewhere.theory import intervention_set

OPTIONS = Options(starts=8, rounds=1, steps=15, classes=2)
KEY = jax.random.key(0)


@pytest.fixture(scope="module")
def tables():
    truth = simulated_truth(jax.random.key(2), 3, 2, (2,), bias="sparse", mixing="real_nvp")
    data = simulate(jax.random.key(3), truth, train=3_000, valid=1_000, test=10)
    return np.asarray(data.train), np.asarray(data.valid)


@pytest.mark.parametrize("flow", ["real_nvp", "spline"])
def test_at_first_the_couplings_do_nothing(flow):
    outer = outer_part(flow_maker(flow, 4, 8, 0.5)(KEY, 3))
    x = jnp.asarray(np.random.default_rng(0).standard_normal((5, 3)))
    np.testing.assert_allclose(push(outer, x), x, atol=1e-6)


@pytest.fixture(scope="module")
def fitted(tables):
    train, valid = tables
    effort = Effort(steps=300, learning_rate=2e-3)
    return fit_flow(KEY, train, k=1, valid=valid, width=8, options=OPTIONS, effort=effort)


def test_a_flow_is_likelier_than_where_it_started(fitted, tables):
    train, valid = tables
    leaky = fit(KEY, train, k=1, valid=valid, options=OPTIONS)
    assert fitted.log_likelihood > leaky.log_likelihood + 0.01


def test_only_k_mechanisms_differ(fitted):
    assert fitted.k == 1
    assert len(intervention_set(fitted.model)) == 1
