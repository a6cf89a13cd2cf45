"""Pairs: they help where unpaired rows cannot tell, and leave alone what is good."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.errors import DomainError
from elsewhere.fitting import Candidate, Engine, FitError, FitResult, Options, fit
from elsewhere.fitting.profile.axes.profile import weighted
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.refine.pairs.fit import Pairs, pack_pairs, refine_with_pairs
from elsewhere.fitting.refine.pairs.objective import PairedParameters, Tying, tied, total_effects
from elsewhere.fitting.refine.pairs.paired_rows import PairedRows
from elsewhere.fitting.refine.pairs.start import axes_of, slope_of, starts_of
from elsewhere.mixing import leaky_linear, linear, real_nvp
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM

KEY = jax.random.key(0)
SMALL = Options(starts=4, steps=8, rounds=0, parents=4, classes=4)


pytestmark = pytest.mark.usefixtures("compile_fast")


@pytest.fixture(scope="module")
def data():
    truth = simulated_truth(jax.random.key(4), 3, 2, {1, 2})
    return simulate(jax.random.key(5), truth, train=300, test=200)


@pytest.fixture(scope="module")
def train(data):
    return dict(enumerate(np.asarray(data.train)))


def pairs_of(truth, n, noise=0.0, seed=0):
    x = truth.sample(jax.random.key(seed), n, d=0)
    y = np.asarray(truth.move(x, d=0, d_prime=1))
    return Pairs(0, 1, np.asarray(x), y + noise * np.random.default_rng(0).standard_normal(y.shape))


def error(result, data):
    found = result.model.move(data.test[1], d=1, d_prime=0)
    return float(((found - data.counterfactuals[1, 0]) ** 2).mean())


def result_of(*models):
    candidates = tuple(Candidate(m, -3.0, -3.0, f"candidate {i}") for i, m in enumerate(models))
    return FitResult(candidates, 2, -3.0, 0.01, 0.01, "by hand")


def disturbed(truth, size):
    """The truth with its axes and intervened mechanisms a little off."""
    rng, affine = np.random.default_rng(1), truth.mixing[1]
    scms = [
        LinearSCM(
            f.weights.at[1:].add(np.tril(size * rng.standard_normal((3, 3)), -1)[1:]),
            f.scale,
            f.bias,
        )
        for f in truth.scms
    ]
    matrix = affine.matrix + size * rng.standard_normal((3, 3))
    return ILD(leaky_linear(matrix, affine.offset), scms)


@pytest.fixture(scope="module")
def rough(data):
    return result_of(disturbed(data.truth, 0.05))


@pytest.fixture(scope="module")
def refined(rough, train, data):
    return refine_with_pairs(KEY, rough, train, pairs_of(data.truth, 30), options=SMALL)


def test_pairs_refine_a_rough_fit_even_backwards(rough, refined, data):
    assert error(refined, data) < 0.1 * error(rough, data)
    assert "refined on 30 pairs" in refined.notes[-1]
    assert "refined on 30 pairs" in refined.candidates[0].description
    assert "pairs" in refined.principle


def test_what_was_shared_is_shared_still(refined):
    first, second = refined.model.scms
    np.testing.assert_array_equal(first.weights[0], second.weights[0])
    np.testing.assert_array_equal(first.scale[0], second.scale[0])
    assert (first.bias[1:] != second.bias[1:]).all()
    assert isinstance(first, LinearSCM)


def test_the_likelihood_reported_is_that_of_the_rows(refined, train):
    values = [
        jax.vmap(lambda x, d=d: refined.model.log_prob(x, d=d))(jnp.asarray(rows)).mean()
        for d, rows in train.items()
    ]
    assert refined.log_likelihood == pytest.approx(float(np.mean(values)), abs=1e-3)


def test_noisy_pairs_do_not_spoil_the_truth(train, data):
    good = result_of(data.truth)
    found = refine_with_pairs(KEY, good, train, pairs_of(data.truth, 30, noise=1.0), options=SMALL)
    unit = float(data.test.var())
    assert error(found, data) < 0.01 * unit


def test_one_pair_picks_the_candidate_that_it_fits(train, data):
    wrong = result_of(disturbed(data.truth, 0.3), data.truth)
    found = refine_with_pairs(KEY, wrong, train, pairs_of(data.truth, 1), options=SMALL)
    assert found.model is data.truth
    assert "1 pair picked" in found.notes[-1]


@dataclass(frozen=True)
class FoundAlready(Engine):
    """An engine that finds the same result in any rows, and remembers which it was given."""

    found: FitResult
    given: list
    options: Options = SMALL

    def check(self, tables):
        assert len(tables) == 2

    def for_pairs(self):
        return self

    def fit(self, key, rows, ks, progress):
        self.given.append(rows)
        return dict.fromkeys(ks, self.found)


def test_fit_with_pairs_refines_what_the_fit_finds(rough, train, data):
    pairs, engine = pairs_of(data.truth, 30), FoundAlready(rough, [])
    found = fit(KEY, train, k=2, pairs=pairs, valid=train, engine=engine)
    (rows,) = engine.given
    given = {"valid": rows.held, "options": SMALL}
    alone = refine_with_pairs(jax.random.fold_in(KEY, 1), rough, rows.train, pairs, **given)
    np.testing.assert_array_equal(found.model.scms[0].weights, alone.model.scms[0].weights)


def test_rows_are_held_out_once_for_both_steps(rough, train, data, monkeypatch):
    engine, refined = FoundAlready(rough, []), {}

    def remember(key, result, rows, pairs, **given):
        refined.update(rows=rows, **given)
        return result

    monkeypatch.setattr("elsewhere.fitting.refine.refine_with_pairs", remember)
    fit(KEY, train, k=2, pairs=pairs_of(data.truth, 1), engine=engine)
    (rows,) = engine.given
    assert {d: len(rows) for d, rows in rows.train.items()} == {0: 270, 1: 270}
    assert {d: len(rows) for d, rows in rows.held.items()} == {0: 30, 1: 30}
    assert refined == {"rows": rows.train, "valid": rows.held, "options": SMALL}


def test_an_engine_without_use_for_pairs_says_which_have_one(train, data):
    with pytest.raises(ValueError, match="one of the engines .*'linear', 'leaky'.*; got Gradient"):
        fit(KEY, train, k=2, pairs=pairs_of(data.truth, 1), engine="gradient")


@pytest.mark.parametrize("mixing", ["leaky", "linear"])
def test_a_start_is_the_model_it_comes_from(mixing, train, data):
    affine = data.truth.mixing[1]
    truth = (
        data.truth if mixing == "leaky" else ILD(linear(*affine.affine_parts()), data.truth.scms)
    )
    problem = make_problem(train, train, slope_of(truth), SMALL)
    starts = starts_of(np.random.default_rng(0), problem, result_of(truth))
    assert len(starts) == (1 if mixing == "leaky" else 9)
    pairs, count = pack_pairs(problem, pairs_of(truth, 40))
    paired = PairedRows(problem, weighted(problem.rows), pairs, count)
    assert paired.errors(starts[0]).max() < 1e-8


def test_axes_undo_the_whitening(train, data):
    problem = make_problem(train, train, 0.5, SMALL)
    axes, x = axes_of(data.truth.mixing, problem.white), np.asarray(data.test[0])
    u = problem.white(x) @ axes[:, :-1].T + axes[:, -1]
    z = jax.vmap(data.truth.mixing.inverse)(data.test[0])
    np.testing.assert_allclose(u, np.where(z < 0, 0.5 * z, z), atol=1e-8)


def test_pairs_are_repeated_to_a_power_of_two_and_left_out_by_weight(train, data):
    problem = make_problem(train, train, 0.5, SMALL)
    given = pairs_of(data.truth, 3), Pairs(1, 0, data.test[1][:40], data.test[0][:40])
    pairs, count = pack_pairs(problem, given)
    assert (count, len(pairs.source)) == (43, 64)
    paired = PairedRows(problem, weighted(problem.rows), pairs, count)
    weights = np.asarray(paired.evidence(0.1, [0, 5]).weights)
    assert weights.sum() == 41
    assert weights[[0, 5, 43, 63]].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8])
def test_total_effects_invert_a_unit_triangular_matrix(m):
    weights = np.tril(np.random.default_rng(m).standard_normal((2, m, m)), -1)
    expected = np.linalg.inv(np.eye(m) - weights)
    np.testing.assert_allclose(total_effects(jnp.asarray(weights)), expected, atol=1e-10)


def test_tied_rows_are_means_and_triangular():
    rng = np.random.default_rng(0)
    parts = [rng.standard_normal(s) for s in ((2, 3), (2, 2, 2), (2, 2), (2, 2))]
    tying = Tying(jnp.array([1.0, 0.0]), jnp.array([1.0, 1.0]))
    found = tied(PairedParameters(*map(jnp.asarray, parts)), tying)
    np.testing.assert_allclose(found.biases[:, 0], parts[3][:, 0].mean())
    np.testing.assert_allclose(found.biases[:, 1], parts[3][:, 1])
    np.testing.assert_allclose(found.log_scales[0], found.log_scales[1])
    assert not np.triu(np.asarray(found.weights)).any()


@pytest.mark.parametrize(
    ("pairs", "kind", "message"),
    [
        (Pairs(0, 7, np.zeros((3, 3)), np.zeros((3, 3))), DomainError, "pairs' target 7"),
        (Pairs(1, 1, np.zeros((3, 3)), np.zeros((3, 3))), ValueError, "got 1 twice"),
        (Pairs(0, 1, np.zeros((3, 3)), np.zeros((2, 3))), ValueError, "the same rows"),
        (Pairs(0, 1, np.zeros((3, 2)), np.zeros((3, 2))), ValueError, "data's 3 columns"),
        (Pairs(0, 1, np.zeros((0, 3)), np.zeros((0, 3))), ValueError, "at least one row"),
        (Pairs(0, 1, np.full((3, 3), np.inf), np.zeros((3, 3))), ValueError, "must be finite"),
    ],
)
def test_bad_pairs(pairs, kind, message, rough, train):
    with pytest.raises(kind, match=message):
        refine_with_pairs(KEY, rough, train, pairs, options=SMALL)


def test_models_that_pairs_cannot_refine(data, train):
    flow = result_of(ILD(real_nvp(KEY, 3), data.truth.scms))
    with pytest.raises(FitError, match="linear or leaky-linear mixing"):
        refine_with_pairs(KEY, flow, train, pairs_of(data.truth, 3), options=SMALL)
    with pytest.raises(DomainError, match=r"data must hold the domains of the fit; \[1\]"):
        refine_with_pairs(KEY, result_of(data.truth), {0: train[0]}, pairs_of(data.truth, 3))
