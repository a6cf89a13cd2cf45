"""Fits from end to end: one shape for nearly all, so that they compile once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.baselines import GaussianOT, counterfactuals
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.evaluation import counterfactual_error
from elsewhere.fitting import FitResult, Options, Profile, fit
from elsewhere.mixing import linear
from elsewhere.model import ILD
from elsewhere.theory import canonical_form, intervention_set

OPTIONS = Options(starts=16, rounds=4, explore_rows=500, compare_rows=1_000, steps=15)
ENGINE = Profile(options=OPTIONS)
KEY = jax.random.key(0)
ROWS = 4_000


def simulated(seed=1, num_domains=3, intervened=(1, 2), m=3):
    truth_key, data_key = jax.random.split(jax.random.key(seed))
    truth = simulated_truth(truth_key, m, num_domains, intervened)
    return simulate(data_key, truth, train=ROWS, valid=2_000, test=500)


def arrays(data):
    return {"data": np.asarray(data.train), "valid": np.asarray(data.valid)}


def answers(model, x):
    pairs = [[model.move(x[d], d=d, d_prime=e) for e in model.domains] for d in model.domains]
    return np.asarray(pairs)


def log_likelihood(model, x):
    means = [
        jax.vmap(lambda row, d=d: model.log_prob(row, d=d))(x[i]).mean()
        for i, d in enumerate(model.domains)
    ]
    return float(np.mean(means))


pytestmark = pytest.mark.usefixtures("compile_fast")


@pytest.fixture(scope="module")
def data():
    return simulated()


@pytest.fixture(scope="module")
def result(data):
    return fit(KEY, **arrays(data), k=2, engine=ENGINE)


def check_reaches_the_truth(result, data):
    likely = log_likelihood(data.truth, data.valid)
    assert result.log_likelihood == pytest.approx(log_likelihood(result.model, data.valid))
    assert result.log_likelihood > likely - 0.02
    transport = counterfactuals(GaussianOT().fit(np.asarray(data.train)), data.test)
    error = counterfactual_error(answers(result.model, data.test), data.counterfactuals)
    assert error < counterfactual_error(transport, data.counterfactuals) / 10


def test_a_fit_reaches_the_truth(result, data):
    check_reaches_the_truth(result, data)
    assert result.k == 2
    assert result.path == ()


def test_two_domains_reach_the_truth():
    data = simulated(seed=2, num_domains=2, intervened=(2,))
    check_reaches_the_truth(fit(KEY, **arrays(data), k=1, engine=ENGINE), data)


def test_candidates_are_within_the_tolerance_and_ranked(result):
    values = [candidate.log_likelihood for candidate in result.candidates]
    assert max(values) - min(values) <= result.tolerance + 0.005
    preferences = [candidate.preference for candidate in result.candidates]
    assert preferences == sorted(preferences, reverse=True)
    assert "differ" in result.candidates[0].description
    assert all(isinstance(text, str) for text in (result.principle, *result.notes))


def test_only_k_mechanisms_differ_and_the_canonical_form_exists(result):
    changed = intervention_set(result.model).indices
    assert len(changed) <= 2
    assert canonical_form(result.model, intervened=changed).intervened == {1, 2}


def test_the_same_key_gives_the_same_fit(result, data):
    again = fit(KEY, **arrays(data), k=2, engine=ENGINE)
    for a, b in zip(jax.tree.leaves(result.model), jax.tree.leaves(again.model), strict=True):
        np.testing.assert_array_equal(a, b)


def test_units_do_not_matter(result, data):
    units = np.array([1e-6, 1.0, 1e6])
    rescaled = {name: value * units for name, value in arrays(data).items()}
    other = fit(KEY, **rescaled, k=2, engine=ENGINE)
    in_old_units = answers(other.model, jnp.asarray(data.test * units)) / units
    assert counterfactual_error(in_old_units, answers(result.model, data.test)) < 1e-3
    shift = np.log(units).sum()
    assert other.log_likelihood == pytest.approx(result.log_likelihood - shift, abs=2e-3)


def test_domains_of_different_sizes(data):
    sizes = {"small": 700, "large": ROWS, "middle": 2_000}
    train = {d: np.asarray(x)[:n] for (d, n), x in zip(sizes.items(), data.train, strict=True)}
    valid = dict(zip(sizes, np.asarray(data.valid), strict=True))
    found = fit(KEY, train, k=2, valid=valid, engine=ENGINE)
    assert found.model.domains == tuple(sizes)
    assert found.log_likelihood > log_likelihood(data.truth, data.valid) - 0.04


def test_auto_finds_how_many_mechanisms_change(data):
    seen = []
    found = fit(
        KEY, **arrays(data), k="auto", engine=ENGINE, progress=lambda f, text: seen.append(f)
    )
    assert found.k == 2
    assert [point.k for point in found.path] == [0, 1, 2, 3]
    assert found.path[3].below_dense == 0
    assert found.path[0].below_dense > 10 * found.path[0].standard_error
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    check_reaches_the_truth(found, data)


def test_dense_says_that_orders_are_free(data):
    found = fit(KEY, **arrays(data), k=None, engine=ENGINE)
    assert found.k is None
    assert 2 <= len(found.candidates) <= 6
    assert any("Dense" in note for note in found.notes)
    assert found.log_likelihood > log_likelihood(data.truth, data.valid) - 0.02


def test_rows_are_held_out_by_the_key(data):
    train = np.concatenate([np.asarray(data.train), np.asarray(data.valid)[:, :444]], axis=1)
    found = fit(KEY, train, k=2, engine=ENGINE)
    assert isinstance(found, FitResult)
    assert abs(found.log_likelihood - log_likelihood(data.truth, data.valid)) < 0.2
    assert 0 < found.standard_error < 0.1


@pytest.mark.parametrize("k", [1, 2])
def test_linear_mixing_reaches_the_likelihood_of_the_truth(k):
    leaky = simulated(seed=3, num_domains=3, intervened=tuple(range(3 - k, 3))).truth
    truth = ILD(linear(leaky.mixing[1].matrix, leaky.mixing[1].offset), leaky.scms)
    x = np.stack([truth.sample(jax.random.key(d), ROWS, d=d) for d in range(3)])
    found = fit(KEY, x, k=k, valid=x, engine=Profile("linear", options=OPTIONS))
    assert found.log_likelihood > log_likelihood(truth, jnp.asarray(x)) - 0.005
    assert len(intervention_set(found.model).indices) <= k
    assert any("convention" in note for note in found.notes) == (k > 1)
    if k == 1:
        truly = answers(truth, jnp.asarray(x[:, :200]))
        assert counterfactual_error(answers(found.model, jnp.asarray(x[:, :200])), truly) < 0.02


def test_few_rows_give_a_finite_fit_and_a_note():
    x = np.random.default_rng(0).standard_normal((2, 8, 3))
    few = Options(starts=4, steps=5, rounds=1, parents=4)
    found = fit(KEY, x, k=1, engine=Profile(options=few))
    assert np.isfinite(found.log_likelihood)
    assert any("few rows" in note for note in found.notes)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(found.model))
