import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flowjax.bijections import Identity
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models import MIXINGS, masks, perturb, random_ild, random_scm, seeds, spreads

from elsewhere import ILD, LinearSCM, linear
from elsewhere.bijections import Affine
from elsewhere.errors import AssumptionError
from elsewhere.theory import (
    counterfactual_distance,
    counterfactually_equivalent,
    distributionally_equivalent,
    equivalent_model,
    intervention_set,
    recover_transforms,
)

KINDS = [*((g, "linear") for g in MIXINGS), ("leaky", "autoregressive")]


def admissible(seed, scm, m, spread):
    """h₁ and h₂ autoregressive, so that every h₁∘f_d∘h₂ is."""
    rng = np.random.default_rng(seed)
    return random_scm(rng, scm, m, spread), random_scm(rng, "linear", m, spread)


@pytest.mark.parametrize(("mixing", "scm"), KINDS)
@settings(max_examples=10)
@given(seed=seeds, spread=st.floats(0.05, 0.3))
def test_admissible_pairs_are_found_equivalent_and_perturbed_ones_different(
    mixing, scm, seed, spread
):
    ild = random_ild(seed, mixing, scm, 3, 2, np.array([True, False, True]), spread)
    h1, h2 = admissible(seed + 1, scm, 3, spread)
    other = equivalent_model(ild, h1, h2)
    assert counterfactually_equivalent(ild, other)
    assert recover_transforms(ild, other).verdict
    perturbed = ILD(
        other.mixing, (other.scms[0], perturb(np.random.default_rng(seed), other.scms[1], 0.1))
    )
    assert not counterfactually_equivalent(ild, perturbed)
    assert not recover_transforms(ild, perturbed).verdict


@pytest.mark.parametrize("m", [1, 2, 5, 8])
@given(seed=seeds, spread=spreads, data=st.data())
def test_linear_equivalence_is_closed_form(m, seed, spread, data):
    mask = data.draw(masks(m))
    ild = random_ild(seed, "linear", "linear", m, 3, mask, spread)
    h1, h2 = admissible(seed + 1, "linear", m, spread)
    verdict = counterfactually_equivalent(ild, equivalent_model(ild, h1, h2))
    assert verdict.holds
    assert verdict.exact
    same_noise = equivalent_model(ild, h1, Identity((m,)))
    found = intervention_set(same_noise, tolerance=1e-9).indices
    assert found == {j for j in range(m) if mask[j]}


def test_recovered_h1_is_the_one_used():
    ild = random_ild(5, "leaky", "linear", 3, 2, np.array([False, True, True]), 0.3)
    h1, h2 = admissible(6, "linear", 3, 0.3)
    found = recover_transforms(ild, equivalent_model(ild, h1, h2))
    eps = jax.random.normal(jax.random.key(0), (20, 3))
    for given_h, found_h in ((h1, found.h1), (h2, found.h2)):
        np.testing.assert_allclose(
            jax.vmap(found_h.transform)(eps), jax.vmap(given_h.transform)(eps), atol=1e-10
        )


def test_h2_that_keeps_the_normal_keeps_the_distribution_and_another_does_not():
    ild = random_ild(7, "real_nvp", "linear", 3, 2, np.array([True, False, True]), 0.3)
    h1, h2 = admissible(8, "linear", 3, 0.3)
    flip = Affine(jnp.diag(jnp.array([1.0, -1.0, -1.0])))
    assert distributionally_equivalent(ild, equivalent_model(ild, h1, flip))
    assert not distributionally_equivalent(ild, equivalent_model(ild, h1, h2))


def test_a_pair_that_breaks_the_order_is_refused_by_domain():
    ild = random_ild(1, "linear", "linear", 3, 2, np.array([True, False, True]), 0.3)
    swap = Affine(jnp.eye(3)[jnp.array([2, 1, 0])])
    with pytest.raises(AssumptionError, match="autoregressive; in domain 0"):
        equivalent_model(ild, swap, swap)


def test_it_is_an_equivalence_relation():
    a = random_ild(2, "leaky", "linear", 3, 2, np.array([True, False, True]), 0.3)
    b = equivalent_model(a, *admissible(3, "linear", 3, 0.3))
    c = equivalent_model(b, *admissible(4, "linear", 3, 0.3))
    assert counterfactually_equivalent(a, a)
    assert counterfactually_equivalent(b, a)
    assert counterfactually_equivalent(a, c)


def test_a_mirrored_noise_keeps_distributions_and_changes_counterfactuals():
    mirrored = LinearSCM(jnp.zeros((1, 1)), -jnp.ones(1), jnp.ones(1))
    shifted = LinearSCM(jnp.zeros((1, 1)), jnp.ones(1), jnp.ones(1))
    a, b = (ILD(linear(jnp.eye(1)), [LinearSCM.identity(1), f]) for f in (shifted, mirrored))
    assert distributionally_equivalent(a, b)
    assert not counterfactually_equivalent(a, b)


def test_equal_counterfactuals_and_distributions_with_another_number_of_interventions():
    """Against the second half of the paper's characterisation theorem: |I| = 2 here, 1 there.

    f_2 shifts both latents by 1; turned by 45 degrees it shifts one latent by √2.
    """
    shift = LinearSCM(jnp.zeros((2, 2)), jnp.ones(2), jnp.ones(2))
    ild = ILD(linear(jnp.eye(2)), [LinearSCM.identity(2), shift])
    turn = jnp.array([[1.0, -1.0], [1.0, 1.0]]) / jnp.sqrt(2.0)
    other = equivalent_model(ild, Affine(turn), Affine(turn.T))
    assert counterfactually_equivalent(ild, other)
    assert distributionally_equivalent(ild, other)
    assert intervention_set(ild).indices == {0, 1}
    assert intervention_set(other).indices == {1}


def test_an_autoregressive_h2_alone_makes_more_interventions():
    """f'_d⁻¹ = h₂⁻¹∘f_d⁻¹: what differs in one row reaches those below it."""
    shift = LinearSCM(jnp.zeros((2, 2)), jnp.ones(2), jnp.array([1.0, 0.0]))
    ild = ILD(linear(jnp.eye(2)), [LinearSCM.identity(2), shift])
    h2 = Affine(jnp.array([[1.0, 0.0], [1.0, 1.0]]))
    other = equivalent_model(ild, Identity((2,)), h2)
    assert counterfactually_equivalent(ild, other)
    assert intervention_set(ild).indices == {0}
    assert intervention_set(other).indices == {0, 1}


def test_models_that_cannot_be_compared():
    one = random_ild(0, "linear", "linear", 2, 2, np.array([True, True]), 0.3)
    wider = random_ild(0, "linear", "linear", 3, 2, np.array([True, True, True]), 0.3)
    renamed = ILD(one.mixing, one.scms, ["here", "there"])
    with pytest.raises(AssumptionError, match="one dimension"):
        counterfactually_equivalent(one, wider)
    with pytest.raises(AssumptionError, match="same domains"):
        distributionally_equivalent(one, renamed)


def test_domains_are_matched_by_name_not_by_position():
    ild = random_ild(4, "leaky", "linear", 3, 3, np.array([True, False, True]), 0.3)
    turned = ILD(ild.mixing, ild.scms[::-1], ild.domains[::-1])
    assert counterfactually_equivalent(ild, turned)
    assert distributionally_equivalent(ild, turned)
    assert counterfactual_distance(jax.random.key(0), ild, turned, num_points=50).value < 1e-12
