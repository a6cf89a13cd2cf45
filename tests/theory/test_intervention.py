import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import SCMS, masks, random_ild, seeds, spreads

from elsewhere import LinearSCM, MechanismSCM
from elsewhere.datasets import simulated_truth
from elsewhere.scm import mechanisms_of
from elsewhere.theory import identity_canonical_form, intervention_set


@pytest.mark.parametrize("scm", SCMS)
@pytest.mark.parametrize("m", [1, 3, 8])
@given(seed=seeds, spread=spreads, data=st.data())
def test_finds_exactly_the_rows_that_differ(scm, m, seed, spread, data):
    mask = data.draw(masks(m))
    found = intervention_set(random_ild(seed, "linear", scm, m, 3, mask, spread))
    assert found.indices == {j for j in range(m) if mask[j]}
    assert found.exact == (scm == "linear")
    assert found.num_points == (0 if found.exact else 4096)
    assert len(found) == mask.sum()


def test_sampling_agrees_with_the_closed_form():
    ild = random_ild(3, "linear", "linear", 3, 2, np.array([False, True, False]), 0.4)
    sampled = [MechanismSCM(mechanisms_of(f)) for f in ild.scms]
    assert intervention_set(sampled).indices == intervention_set(ild).indices == {1}
    assert not intervention_set(sampled).exact


def test_a_gap_below_the_tolerance_does_not_count():
    near = LinearSCM(jnp.zeros((2, 2)), jnp.ones(2), jnp.array([0.0, 1e-3]))
    pair = [LinearSCM.identity(2), near]
    assert intervention_set(pair).indices == {1}
    assert intervention_set(pair, tolerance=1e-2).indices == frozenset()


def test_scale_of_the_latents_does_not_matter():
    for size in (1e-6, 1e6):
        base = LinearSCM(jnp.zeros((2, 2)), jnp.full(2, size), jnp.zeros(2))
        moved = LinearSCM(jnp.zeros((2, 2)), jnp.full(2, size), jnp.array([0.0, 0.1 * size]))
        assert intervention_set([base, moved]).indices == {1}


@pytest.mark.parametrize("seed", range(5))
def test_the_papers_simulated_truth_is_not_as_sparse_as_it_says(seed):
    """Bias added after F_d reaches no descendant, so every descendant's mechanism changes too."""
    key = jax.random.key(seed)
    printed = simulated_truth(key, 6, 3, {0, 1}, bias="printed")
    sparse = simulated_truth(key, 6, 3, {0, 1}, bias="sparse")
    assert intervention_set(printed).indices == set(range(6))
    assert intervention_set(sparse).indices == {0, 1}
    assert len(identity_canonical_form(sparse).intervened) == 2
    last = simulated_truth(key, 6, 3, {4, 5}, bias="printed")
    assert intervention_set(last).indices == {4, 5}


def test_a_single_domain_has_no_interventions():
    assert intervention_set([LinearSCM.identity(2)]).indices == frozenset()
