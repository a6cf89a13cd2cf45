"""Flows that flatten the rows, and the fits behind them."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import linear
from elsewhere.bijections import push
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import Effort, Flow, Options, Profile, fit, fit_each
from elsewhere.fitting.flow.bend import Bending
from elsewhere.fitting.flow.fit import flow_notes
from elsewhere.fitting.flow.objective import Bent, FlowConstants, flow_profile, held_out
from elsewhere.fitting.flow.start import axes_of, flow_maker, kinds_of
from elsewhere.fitting.gradient.mixing import arrays_like, template
from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.profile.axes.climb import one_hot
from elsewhere.fitting.profile.kink import kink_of
from elsewhere.fitting.profile.likelihood import held_out_rows, mean_over_domains
from elsewhere.theory import intervention_set

OPTIONS = Options(starts=4, rounds=0, steps=15, classes=2)
KEY = jax.random.key(0)


@pytest.fixture(scope="module")
def tables():
    truth = simulated_truth(jax.random.key(2), 3, 2, (2,), bias="sparse", mixing="real_nvp")
    data = simulate(jax.random.key(3), truth, train=3_000, valid=1_000, test=10)
    return np.asarray(data.train), np.asarray(data.valid)


@pytest.fixture(scope="module")
def fitted(tables):
    train, valid = tables
    engine = Flow(width=8, options=OPTIONS, effort=Effort(steps=200))
    return fit_each(KEY, train, ks=[1, None], valid=valid, engine=engine)


@pytest.fixture(scope="module")
def leaky(tables):
    train, valid = tables
    return fit(KEY, train, k=1, valid=valid, engine=Profile(options=OPTIONS))


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("flow", ["real_nvp", "spline"])
def test_at_first_the_couplings_do_nothing(flow, m):
    outer = flow_maker(flow, 4, 8)(KEY, m)
    x = jnp.asarray(np.random.default_rng(0).standard_normal((5, m)))
    np.testing.assert_allclose(push(outer, x), x, atol=1e-6)


def test_a_flow_is_likelier_than_where_it_started(fitted, leaky):
    assert fitted[1].log_likelihood > leaky.log_likelihood + 0.01
    assert fitted[None].log_likelihood > leaky.log_likelihood + 0.01


def test_dense_is_never_below_a_model_that_it_contains(fitted):
    assert fitted[None].log_likelihood >= fitted[1].log_likelihood
    assert fitted[None].k is None


def test_a_flow_of_few_steps_says_that_it_stopped_short(tables):
    """Dense alone: with other k, each goes on where another ended, and has more steps in all."""
    train, valid = tables
    engine = Flow(width=8, options=OPTIONS, effort=Effort(steps=200))
    found = fit(KEY, train, k=None, valid=valid, engine=engine)
    assert any("Allow more than 200 steps" in note for note in found.notes)


@pytest.mark.fast
def test_what_stopping_short_is():
    outer = linear(jnp.eye(2))
    dense, still, done = (Bending(outer, *two) for two in ((-1.0, 0.0), (-1.0, 0.02), (-2.0, 0.0)))
    assert flow_notes(None, dense, dense, 100) == ()
    (late,) = flow_notes(1, still, dense, 100)
    assert "gained 0.020 nats" in late
    (below,) = flow_notes(1, done, dense, 100)
    assert "1.000 nats per row below the Dense" in below


def test_only_k_mechanisms_differ(fitted):
    assert fitted[1].k == 1
    assert len(intervention_set(fitted[1].model)) == 1
    assert fitted[None].k is None


def test_the_likelihood_reported_is_the_models(fitted, tables):
    held = dict(enumerate(tables[1]))
    for result in fitted.values():
        exact = mean_over_domains(held_out_rows(result.model, held))
        assert result.log_likelihood == pytest.approx(exact, abs=1e-9)
        assert result.candidates[0].log_likelihood == result.log_likelihood


def test_candidates_keep_their_distances(fitted, tables):
    held, candidates = dict(enumerate(tables[1])), fitted[None].candidates
    for candidate in candidates:
        exact = mean_over_domains(held_out_rows(candidate.model, held))
        assert candidate.log_likelihood == pytest.approx(exact, abs=1e-4)


class TestObjective:
    """Against `fit`: with couplings that do nothing the objective is that of a leaky model."""

    @pytest.fixture(scope="class")
    def start(self, leaky):
        maker = flow_maker("real_nvp", 2, 8)
        base, model = template(maker, 3), leaky.model
        params = Bent(arrays_like(base, maker(KEY, 3)), jnp.asarray(axes_of(model)))
        kinds = kinds_of(model, 1)
        given = FlowConstants(eqx.partition(base, eqx.is_array)[1], one_hot(kinds), kink_of(0.5))
        return params, given, kinds

    def test_held_out_is_the_models_likelihood(self, start, leaky, tables):
        params, given, kinds = start
        assert sorted(kinds) == [SHARED, SHARED, OWN]
        cubes = tuple(jnp.asarray(x.transpose(2, 0, 1)) for x in tables)
        value = eqx.filter_jit(held_out)(params, given, cubes)
        np.testing.assert_allclose(value, leaky.log_likelihood, atol=1e-3)

    def test_the_profile_is_the_best_of_the_mechanisms(self, start, tables):
        params, given, _ = start
        cube = jnp.asarray(tables[0].transpose(2, 0, 1))
        smoothed = eqx.filter_jit(flow_profile)(params, given, cube, jnp.asarray(0))
        exact = eqx.filter_jit(held_out)(params, given, (cube, cube))
        np.testing.assert_allclose(smoothed, exact, atol=0.02)

    def test_dense_is_at_least_as_likely(self, start, tables):
        params, given, _ = start
        cube = jnp.asarray(tables[0].transpose(2, 0, 1))
        dense = given._replace(kinds=one_hot(np.full(3, OWN)))
        value = eqx.filter_jit(held_out)
        assert value(params, dense, (cube, cube)) >= value(params, given, (cube, cube)) - 1e-9


def test_axes_of_reads_both_mixings(leaky, tables):
    engine = Profile("linear", options=OPTIONS)
    linear = fit(KEY, tables[0], k=1, valid=tables[1], engine=engine)
    for result in (leaky, linear):
        axes, x = axes_of(result.model), jnp.asarray(tables[1][0][:5])
        z = jax.vmap(result.model.mixing.inverse)(x)
        u = x @ axes[:, :-1].T + axes[:, -1]
        slope = 1.0 if result is linear else 0.5
        np.testing.assert_allclose(u, jnp.where(z < 0, slope * z, z), atol=1e-9)
