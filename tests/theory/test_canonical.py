import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models import masks, random_ild, seeds, spreads

from elsewhere import ILD, LinearSCM, linear
from elsewhere.errors import AssumptionError
from elsewhere.theory import (
    canonical_form,
    counterfactually_equivalent,
    distributionally_equivalent,
    identity_canonical_form,
    intervention_set,
    is_autoregressive,
    swap,
)


def check_canonical(ild, form, size):
    last = set(range(ild.m - size, ild.m))
    assert form.intervened == last
    assert intervention_set(form.ild, tolerance=1e-6).indices == last
    assert all(is_autoregressive(f) for f in form.ild.scms)
    assert counterfactually_equivalent(ild, form.ild)
    assert distributionally_equivalent(ild, form.ild)


FLOWS = [(mixing, m) for mixing in ("real_nvp", "spline") for m in (1, 4)]
CLOSED = [(mixing, m) for mixing in ("linear", "leaky") for m in (1, 2, 5, 8)]


@pytest.mark.parametrize(("mixing", "m"), CLOSED + FLOWS)
@settings(max_examples=10)
@given(seed=seeds, spread=spreads, data=st.data())
def test_linear_scms_under_any_mixing(mixing, m, seed, spread, data):
    mask = data.draw(masks(m))
    ild = random_ild(seed, mixing, "linear", m, 3, mask, spread)
    for make in (canonical_form, identity_canonical_form):
        check_canonical(ild, make(ild), mask.sum())


@pytest.mark.parametrize("mixing", ["leaky", "real_nvp"])
@settings(max_examples=10)
@given(seed=seeds, spread=st.floats(0.05, 0.3), data=st.data())
def test_nonlinear_scms(mixing, seed, spread, data):
    mask = data.draw(masks(3))
    ild = random_ild(seed, mixing, "autoregressive", 3, 2, mask, spread)
    check_canonical(ild, canonical_form(ild), mask.sum())


def test_first_domain_is_the_identity_and_kept_by_the_general_form():
    ild = random_ild(1, "leaky", "linear", 4, 2, np.array([True, False, False, True]), 0.4)
    first = identity_canonical_form(ild).ild.scms[0].affine_parts()
    np.testing.assert_array_equal(first[0], np.eye(4))
    kept = canonical_form(ild).ild.scms[0].affine_parts()
    np.testing.assert_allclose(kept[0], ild.scms[0].affine_parts()[0], atol=1e-12)


def test_a_model_already_canonical_needs_no_swap():
    ild = random_ild(1, "linear", "linear", 4, 2, np.array([False, False, True, True]), 0.4)
    assert canonical_form(ild).swaps == ()


class TestSwap:
    @pytest.fixture
    def model(self):
        ild = random_ild(2, "leaky", "linear", 4, 2, np.array([False, True, False, True]), 0.4)
        return identity_canonical_form(ild).steps[1]

    def test_moves_the_intervention(self, model):
        moved = swap(model, 1, 2)
        assert intervention_set(moved).indices == {2, 3}
        assert counterfactually_equivalent(model, moved)

    def test_needs_an_intervened_index(self, model):
        with pytest.raises(AssumptionError, match="intervened j; 0 is not"):
            swap(model, 0, 2)

    def test_needs_a_free_way(self, model):
        with pytest.raises(AssumptionError, match=r"no intervened index in \(1, 3\]; \[3\] are"):
            swap(model, 1, 3)

    def test_needs_an_identity_first(self):
        shifted = [LinearSCM(jnp.zeros((2, 2)), jnp.ones(2), jnp.full(2, b)) for b in (1.0, 2.0)]
        with pytest.raises(AssumptionError, match="f_1 = Id"):
            swap(ILD(linear(jnp.eye(2)), shifted), 0, 1)

    def test_needs_indices_in_order(self, model):
        with pytest.raises(ValueError, match="0 <= j < j_prime < 4"):
            swap(model, 2, 1)


def test_hard_numerics_stay_within_tolerance_or_raise():
    """Scales of 1e-6 and 1e6 in one model, and m = 64."""
    scale = jnp.array([1e-6, 1.0, 1e6])
    pair = [LinearSCM(jnp.zeros((3, 3)), scale * s, scale) for s in (1.0, jnp.array([2.0, 1, 1]))]
    ild = ILD(linear(jnp.eye(3)), pair)
    check_canonical(ild, canonical_form(ild), 1)
    wide = random_ild(3, "leaky", "linear", 64, 2, np.arange(64) % 7 == 0, 0.1)
    check_canonical(wide, identity_canonical_form(wide), 10)
