import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from tests.models import random_ild, random_matrix, seeds

from elsewhere import ILD, LinearSCM, leaky_linear, linear
from elsewhere.theory import (
    counterfactual_distance,
    distributionally_equivalent,
    equivalent_members,
    error_bound,
    intervention_set,
    lipschitz_constant,
)

KEY = jax.random.key(0)
LAST_TWO = np.array([False, False, True, True])


def test_distance_to_itself_is_zero():
    a = random_ild(1, "real_nvp", "linear", 4, 2, LAST_TWO, 0.3)
    assert counterfactual_distance(KEY, a, a, num_points=50).value == 0


@given(seed=seeds)
def test_triangle_inequality_under_one_reference(seed):
    """d_C(a, c) ≤ d_C(a, b) + d_C(b, c) when p(x, d) is one and the same: here all share it."""
    a, *members = distributional_family(seed)
    b, c = members[:2]
    d = lambda p, q: counterfactual_distance(KEY, p, q).value  # noqa: E731
    assert d(a, c) <= d(a, b) + d(b, c) + 1e-9
    np.testing.assert_allclose(d(a, b), d(b, a), rtol=1e-6)


def distributional_family(seed):
    truth = random_ild(seed, "linear", "linear", 4, 2, LAST_TWO, 0.4, signed=False)
    return [truth, *equivalent_members(jax.random.key(seed), truth, 2, count=3)]


def test_sampled_distance_agrees_with_the_closed_form():
    """A leaky slope of 1 is linear, but nothing tells the code so."""
    ild = random_ild(1, "linear", "linear", 3, 2, np.array([False, True, True]), 0.3)
    other = random_ild(2, "linear", "linear", 3, 2, np.array([False, True, True]), 0.3)
    exact = counterfactual_distance(KEY, ild, other)
    G = [leaky_linear(m.mixing.matrix, m.mixing.offset, slope=1.0) for m in (ild, other)]
    curved = [ILD(g, m.scms) for g, m in zip(G, (ild, other), strict=True)]
    sampled = counterfactual_distance(KEY, *curved, num_points=20_000)
    assert exact.exact
    assert not sampled.exact
    assert abs(exact.value - sampled.value) < 4 * sampled.standard_error
    assert sampled.standard_error < 0.02 * sampled.value


@given(seed=seeds)
@settings(max_examples=40)
def test_the_bound_holds_on_random_linear_pairs(seed):
    truth = random_ild(seed, "linear", "linear", 4, 2, LAST_TWO, 0.4, signed=False)
    estimate = random_ild(seed + 1, "linear", "linear", 4, 2, LAST_TWO, 0.4, signed=False)
    bound = error_bound(jax.random.key(seed), estimate, truth, 2, num_members=6)
    assert bound.error.value <= bound.bound + 1e-9
    assert bound.b <= bound.lipschitz_proven + 1e-9
    assert bound.worst.lipschitz_exact
    assert bound.worst.latent_difference_exact


@pytest.mark.parametrize(("mixing", "scm"), [("leaky", "linear"), ("real_nvp", "autoregressive")])
def test_the_bound_holds_beyond_linear(mixing, scm):
    mask = np.array([False, True, True])
    truth, estimate = (random_ild(s, mixing, scm, 3, 2, mask, 0.2, signed=False) for s in (1, 2))
    bound = error_bound(KEY, estimate, truth, 2, num_members=6, num_points=300)
    assert bound.error.value <= bound.bound + 4 * bound.error.standard_error
    assert bound.worst.lipschitz_exact == (mixing == "leaky")


def test_the_lipschitz_form_grows_with_k():
    truth = random_ild(5, "leaky", "linear", 5, 3, np.arange(5) == 4, 0.4, signed=False)
    bounds = [
        error_bound(KEY, truth, truth, k, num_members=12, num_points=100) for k in range(1, 6)
    ]
    forms = [b.lipschitz_printed for b in bounds]
    assert all(b.worst.k <= max(k, 1) for k, b in enumerate(bounds, start=1))
    assert forms[-1] > 1.5 * forms[0]
    assert all(later >= earlier for earlier, later in zip(forms, forms[1:], strict=False))
    errors = [b.b for b in bounds]
    assert all(later >= earlier - 1e-9 for earlier, later in zip(errors, errors[1:], strict=False))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_members_have_the_truths_distributions_and_at_most_k_interventions(k):
    truth = random_ild(6, "leaky", "linear", 4, 3, LAST_TWO, 0.4, signed=False)
    members = equivalent_members(KEY, truth, k, count=5)
    assert len(members) > 5
    for member in members:
        assert distributionally_equivalent(truth, member)
        assert len(intervention_set(member, tolerance=1e-9)) <= k


def test_members_of_a_nonlinear_truth():
    truth = random_ild(6, "linear", "autoregressive", 3, 2, np.array([False, True, True]), 0.2)
    for member in equivalent_members(KEY, truth, 2, count=4):
        assert distributionally_equivalent(truth, member)
        assert len(intervention_set(member)) <= 2


def test_k_out_of_range():
    truth = random_ild(6, "linear", "linear", 3, 2, np.array([False, True, True]), 0.2)
    with pytest.raises(ValueError, match=r"k must be in 0\.\.3; got 4"):
        equivalent_members(KEY, truth, 4)


class TestLipschitz:
    def test_linear(self):
        G = jnp.diag(jnp.array([3.0, -5.0]))
        assert lipschitz_constant(linear(G), jnp.zeros((1, 2))) == (5.0, True)

    def test_leaky_is_the_steepest_piece(self):
        G = random_matrix(np.random.default_rng(0), 4)
        value, exact = lipschitz_constant(leaky_linear(G), jnp.zeros((1, 4)))
        z = jax.random.normal(KEY, (500, 4))
        slopes = jax.vmap(jax.jacfwd(leaky_linear(G).transform))(z)
        assert exact
        np.testing.assert_allclose(value, np.linalg.norm(slopes, 2, (1, 2)).max(), rtol=1e-9)

    def test_flows_are_sampled_and_say_so(self):
        g = random_ild(0, "real_nvp", "linear", 3, 1, np.ones(3, bool), 0.2).mixing
        value, exact = lipschitz_constant(g, jax.random.normal(KEY, (50, 3)))
        assert value > 0
        assert not exact


def test_the_identity_truth_needs_no_bound():
    still = ILD(linear(jnp.eye(2)), [LinearSCM.identity(2)] * 2)
    bound = error_bound(KEY, still, still, 0)
    assert bound.bound == bound.error.value == 0
