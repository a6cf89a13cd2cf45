"""The simulated truths: what is shared, their scales, their data and their counterfactuals."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flowjax.bijections import Chain

from elsewhere import ILD, LinearSCM, counterfactual, linear
from elsewhere.bijections import LeakyReLU, as_affine
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.datasets.simulated import _draw_mechanisms, unit_determinant
from elsewhere.queries import move_all

KEY = jax.random.key(0)
M, D, INTERVENED = 5, 3, [1, 4]
SHARED = [0, 2, 3]


@pytest.fixture(scope="module", params=["printed", "sparse"])
def truth(request):
    return simulated_truth(KEY, M, D, INTERVENED, bias=request.param)


@pytest.fixture(scope="module")
def data():
    truth = simulated_truth(KEY, M, D, INTERVENED)
    return simulate(jax.random.key(1), truth, train=20_000, valid=300, test=200)


def weights(truth):
    return np.stack([f.weights for f in truth.scms])


def rectifier_and_affine(truth):
    assert isinstance(truth.mixing, Chain)
    rectifier, affine = truth.mixing.bijections
    assert isinstance(rectifier, LeakyReLU)
    assert rectifier.slope == 0.5
    return as_affine(affine)


def test_shared_rows_are_shared_and_the_others_differ(truth):
    L = weights(truth)
    assert (L[:, SHARED] == L[0, SHARED]).all()
    assert all((L[0, i, :i] != L[1, i, :i]).all() for i in INTERVENED)


def test_weights_are_strictly_lower_triangular_with_unit_noise(truth):
    assert (np.triu(weights(truth)) == 0).all()
    assert all((np.asarray(f.scale) == 1).all() for f in truth.scms)


def test_the_printed_bias_is_one_number_outside_the_inverse():
    truth = simulated_truth(KEY, M, D, INTERVENED, bias="printed")
    offsets = np.stack([f.affine_parts()[1] for f in truth.scms])
    np.testing.assert_allclose(offsets[:, SHARED], 0, atol=1e-5)
    np.testing.assert_allclose(offsets[:, 1], offsets[:, 4], atol=1e-5)
    assert len(set(np.round(offsets[:, 1], 4))) == D


def test_the_sparse_bias_is_one_number_inside_the_mechanisms():
    truth = simulated_truth(KEY, M, D, INTERVENED, bias="sparse")
    biases = np.stack([f.bias for f in truth.scms])
    assert (biases[:, SHARED] == 0).all()
    assert (biases[:, 1] == biases[:, 4]).all()
    assert len(set(biases[:, 1].tolist())) == D


def test_the_two_biases_have_the_same_draws_and_differ_only_in_their_place():
    printed, sparse = (
        simulated_truth(KEY, M, D, INTERVENED, bias=b) for b in ("printed", "sparse")
    )
    assert (weights(printed) == weights(sparse)).all()
    for f, h in zip(printed.scms, sparse.scms, strict=True):
        np.testing.assert_allclose(f.affine_parts()[1], h.bias, atol=1e-5)


@pytest.mark.parametrize("intervened", [[0], [2, 3]])
def test_the_bias_fills_its_range(intervened):
    rows = np.isin(np.arange(4), intervened)
    _, drawn = _draw_mechanisms(np.random.default_rng(0), 4_000, rows, "sparse")
    biases = drawn[:, intervened[0]]
    bound = 2 * np.sqrt(4 / len(intervened))
    assert 0.99 * bound < np.abs(biases).max() <= bound
    assert abs(biases.std() - bound / np.sqrt(3)) < 0.02 * bound


def test_the_weights_are_standard_normal():
    rows = np.array([False, False, True])
    L, _ = _draw_mechanisms(np.random.default_rng(0), 4_000, rows, "printed")
    assert np.abs(L[:, 2, :2].mean(0)).max() < 0.05
    np.testing.assert_allclose(L[:, 2, :2].std(0), 1, atol=0.05)


def test_no_intervention_means_equal_domains():
    truth = simulated_truth(KEY, 3, 2, [])
    assert (truth.scms[0].weights == truth.scms[1].weights).all()
    assert (truth.scms[0].bias == truth.scms[1].bias).all()


@pytest.mark.parametrize("m", [1, 2, 6, 10])
def test_the_mixing_matrix_has_determinant_1(m):
    G = unit_determinant(np.random.default_rng(m), m)
    assert abs(np.linalg.slogdet(G)[1]) < 1e-10


def test_the_rectified_latents_are_standardised_and_then_mixed_by_determinant_1(truth):
    rng = np.random.default_rng(5)
    eps = jnp.asarray(rng.normal(size=(40_000, M)), truth.dtype)
    z = np.concatenate([jax.vmap(f.transform)(eps) for f in truth.scms]).astype(float)
    y = np.where(z < 0, z / 2, z)
    A, b = (np.asarray(p, float) for p in rectifier_and_affine(truth))
    G = A * y.std(0)
    assert abs(np.linalg.slogdet(G)[1]) < 0.05
    standardised = np.linalg.solve(G, (y @ A.T + b).T).T
    np.testing.assert_allclose(standardised.mean(0), 0, atol=0.03)


def test_a_key_means_one_truth():
    first, again = (simulated_truth(KEY, M, D, INTERVENED) for _ in range(2))
    other = simulated_truth(jax.random.key(7), M, D, INTERVENED)
    assert eqx.tree_equal(first, again)
    assert (weights(first) != weights(other)).any()


def test_the_splits_have_their_shapes_and_differ(data):
    assert data.train.shape == (D, 20_000, M)
    assert data.valid.shape == (D, 300, M)
    assert data.test.shape == (D, 200, M)
    assert data.counterfactuals.shape == (D, D, 200, M)
    assert not np.isin(np.asarray(data.test), np.asarray(data.train)).all(-1).any()


def test_the_noise_behind_the_rows_is_standard_normal(data):
    g = data.truth.mixing
    for f, x in zip(data.truth.scms, data.train, strict=True):
        eps = np.asarray(jax.vmap(lambda row, f=f: f.inverse(g.inverse(row)))(x), float)
        np.testing.assert_allclose(eps.mean(0), 0, atol=0.035)
        np.testing.assert_allclose(np.cov(eps.T), np.eye(M), atol=0.05)


def test_domains_have_independent_noise(data):
    eps = [jax.vmap(f.inverse)(jax.vmap(data.truth.mixing.inverse)(x))
           for f, x in zip(data.truth.scms, data.train, strict=True)]  # fmt: skip
    assert abs(np.corrcoef(eps[0][:, 0], eps[1][:, 0])[0, 1]) < 0.035


def test_counterfactuals_are_those_of_the_query(data):
    for d in range(D):
        for d_prime in range(D):
            expected = counterfactual(data.truth, data.test[d, 3], d=d, d_prime=d_prime)
            np.testing.assert_allclose(
                data.counterfactuals[d, d_prime, 3], expected, rtol=1e-3, atol=1e-3
            )


def test_the_diagonal_is_the_rows_themselves(data):
    diagonal = data.counterfactuals[np.arange(D), np.arange(D)]
    np.testing.assert_allclose(diagonal, data.test, rtol=1e-3, atol=1e-3)


def test_there_and_back(data):
    there = data.counterfactuals[0, 1]
    back = move_all(data.truth, jnp.stack([there] * D))[1, 0]
    np.testing.assert_allclose(back, data.test[0], rtol=1e-3, atol=1e-3)


def test_counterfactuals_have_the_other_domain_s_distribution(data):
    moved = move_all(data.truth, data.train)
    spread = np.asarray(data.train[2]).std(0)
    gap = np.asarray(moved[0, 2]).mean(0) - np.asarray(data.train[2]).mean(0)
    assert (np.abs(gap) < 0.05 * spread).all()
    np.testing.assert_allclose(np.asarray(moved[0, 2]).std(0), spread, rtol=0.05)


def test_the_real_nvp_truth_is_invertible_curved_and_of_sane_scale():
    truth = simulated_truth(KEY, 4, 2, [3], mixing="real_nvp", couplings=3)
    layers = jax.tree.leaves(eqx.filter(truth.mixing.bijections[-1], eqx.is_array))
    assert {a.shape[0] for a in layers} == {3}
    data = simulate(jax.random.key(1), truth, train=500, valid=500, test=500)
    spread = np.asarray(data.train).reshape(-1, 4).std(0)
    assert ((spread > 0.1) & (spread < 10)).all()
    diagonal = data.counterfactuals[np.arange(2), np.arange(2)]
    np.testing.assert_allclose(diagonal, data.test, rtol=1e-3, atol=1e-3)
    g = truth.mixing.transform
    steps = [g(jnp.full(4, t)) for t in (1.0, 2.0, 3.0)]  # one side of the rectifier
    assert np.abs(np.asarray(steps[2] - 2 * steps[1] + steps[0])).max() > 1e-3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"intervened": [5]}, "intervened must lie in 0..4"),
        ({"intervened": [-1]}, "intervened must lie in 0..4"),
        ({"m": 0, "intervened": []}, "m and num_domains must be at least 1"),
        ({"num_domains": 0}, "m and num_domains must be at least 1"),
        ({"bias": "other"}, "bias"),
        ({"mixing": "other"}, "mixing"),
    ],
)
def test_wrong_choices_are_named(change, message):
    choice = {"m": M, "num_domains": D, "intervened": INTERVENED} | change
    with pytest.raises((ValueError, TypeError), match=message):  # TypeError: the hints' own check
        simulated_truth(KEY, **choice)


def test_an_empty_split_is_named(data):
    with pytest.raises(ValueError, match="test=0"):
        simulate(KEY, data.truth, test=0)


def test_scms_of_two_kinds_can_be_simulated():
    flat = linear(jnp.eye(2))
    data = simulate(KEY, ILD(flat, [LinearSCM.identity(2), flat]), train=5, valid=5, test=5)
    assert data.counterfactuals.shape == (2, 2, 5, 2)


@pytest.mark.fast
def test_a_linear_truth_has_no_kink_and_standard_columns_before_it():
    truth = simulated_truth(jax.random.key(0), 3, 2, {2}, bias="sparse", mixing="linear")
    assert as_affine(truth.mixing) is not None
    leaky = simulated_truth(jax.random.key(0), 3, 2, {2}, bias="sparse")
    assert np.array_equal(truth.scms[1].weights, leaky.scms[1].weights)
