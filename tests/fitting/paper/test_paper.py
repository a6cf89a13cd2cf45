"""The paper's recipe: its start, its likelihood, and that it learns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.models import compiled

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import Paper, fit
from elsewhere.fitting.paper import fit as paper_fit
from elsewhere.fitting.paper import fit_paper_many
from elsewhere.fitting.paper.model import log_likelihood, paper_ild, paper_start
from elsewhere.fitting.paper.steps import run_recipe
from elsewhere.fitting.split import FitError
from elsewhere.theory import intervention_set

KEY = jax.random.key(0, impl="unsafe_rbg")  # compiles several times faster
ROWS = jnp.array([False, True, True])


@compiled
def row_log_probs(model, rows, d):
    return jax.vmap(lambda row: model.log_prob(row, d=d))(rows)


@pytest.fixture(scope="module")
def data():
    truth = simulated_truth(KEY, 3, 2, [1, 2], bias="sparse")
    return simulate(KEY, truth, train=1000, valid=200, test=10)


def test_the_start_is_the_papers():
    start = paper_start(KEY, 3, 2)
    np.testing.assert_array_equal(start.G, np.eye(3))
    np.testing.assert_array_equal(start.b, 0)
    signs = jax.vmap(lambda k: jnp.sign(paper_start(k, 3, 2).S))(jax.random.split(KEY, 20))
    assert signs.min() == -1
    assert signs.max() == 1


def test_its_likelihood_is_the_models(data):
    params = paper_start(KEY, 3, 2)
    model = paper_ild(params, ROWS, [0, 1])
    exact = [row_log_probs(model, rows, d) for d, rows in enumerate(data.valid)]
    ours = compiled(log_likelihood)(params, ROWS, jnp.moveaxis(data.valid, -1, 0))
    assert float(ours) == pytest.approx(float(np.mean(exact)), rel=1e-9)


def test_it_learns_and_keeps_the_best_look(data, monkeypatch):
    seen, told = [], []

    def looked(*given):
        seen.append(float((state := run_recipe(*given)).best_value[0]))
        return state

    monkeypatch.setattr(paper_fit, "run_recipe", looked)
    engine, progress = Paper(steps=600), lambda *said: told.append(said)
    result = fit(KEY, data.train, k=2, valid=data.valid, engine=engine, progress=progress)
    assert [fraction for fraction, _ in told] == pytest.approx(np.arange(1, 7) / 6)
    assert told[-1][1] == f"step 600 of 600: {seen[-1]:.3f} nats per row"
    assert seen == sorted(seen)
    assert seen[-1] > seen[0] + 0.1
    assert result.log_likelihood == pytest.approx(seen[-1], abs=1e-9)
    assert set(intervention_set(result.model).indices) == {1, 2}


def test_many_data_sets_at_once_are_fitted_as_if_alone(data):
    x, valid = (jnp.stack([a, 2 * a]) for a in (data.train, data.valid))
    keys = jax.random.split(KEY, 2)
    many = fit_paper_many(keys, x, valid, None, steps=100)
    alone = fit(keys[1], x[1], k=None, valid=valid[1], engine=Paper(steps=100))
    assert many[1].log_likelihood == pytest.approx(alone.log_likelihood, rel=1e-8)


@pytest.mark.parametrize(("domains", "share"), [(2, 250), (3, 166), (10, 50)])
def test_a_batch_is_pooled_over_the_domains(domains, share):
    tables = {d: np.full((1000, 4), float(d)) for d in range(domains)}
    blocks = paper_fit._blocks(tables, 500)
    assert blocks.shape == (1000 // share, 4, domains, share)
    assert (blocks == np.arange(domains)[:, None]).all()


def test_divergence_and_unequal_tables_are_refused(data):
    with pytest.raises(FitError, match="data set 0 diverged by step 100"):
        fit(KEY, data.train * 1e200, k=2, valid=data.valid * 1e200, engine=Paper(steps=100))
    unequal = {0: data.train[0], 1: data.train[1][:9]}
    with pytest.raises(FitError, match="equally many rows"):
        fit(KEY, unequal, k=2, valid=data.valid, engine="paper")
