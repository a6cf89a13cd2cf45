"""Verdicts that were wrong once, each on the smallest pair of models that shows it."""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flowjax.bijections import AbstractBijection, Chain, Invert

from elsewhere import ILD, LinearSCM, MechanismSCM, linear
from elsewhere.bijections import Affine
from elsewhere.datasets import simulated_truth
from elsewhere.errors import AssumptionError
from elsewhere.scm import Mechanism
from elsewhere.theory import (
    canonical_form,
    counterfactual_distance,
    counterfactually_equivalent,
    distributionally_equivalent,
    equivalent_members,
    error_bound,
    identity_canonical_form,
    intervention_set,
    is_autoregressive,
    recover_transforms,
    smallest_form,
)

KEY = jax.random.key(0)


def in_single(model):
    single = lambda leaf: leaf.astype(jnp.float32) if eqx.is_inexact_array(leaf) else leaf  # noqa: E731
    return jax.tree.map(single, model)


def two_columns(sizes, spread=(1.0, 1.0), shift=(0.0, 0.0)):
    """Two independent columns of the given sizes; domain 1 stretches and shifts, in deviations."""
    G = linear(jnp.diag(jnp.array(sizes)))
    moved = LinearSCM(jnp.zeros((2, 2)), jnp.array(spread), jnp.array(shift))
    return ILD(G, [LinearSCM.identity(2), moved])


@pytest.mark.parametrize("ratio", [1e2, 1e3, 1e6])
@pytest.mark.parametrize("single", [True, False])
class TestUnitsOfTheColumns:
    def pair(self, single, ratio, **change):
        models = [two_columns((ratio, 1.0), **{"shift": (10.0, 0.0), **c}) for c in ({}, change)]
        return [in_single(model) for model in models] if single else models

    def test_a_small_column_twice_as_wide(self, single, ratio):
        a, b = self.pair(single, ratio, spread=(1.0, 2.0))
        assert not distributionally_equivalent(a, b)
        assert not counterfactually_equivalent(a, b)
        assert not recover_transforms(a, b).verdict

    def test_a_small_column_shifted_by_one_deviation(self, single, ratio):
        a, b = self.pair(single, ratio, shift=(10.0, 1.0))
        assert not distributionally_equivalent(a, b)
        assert not counterfactually_equivalent(a, b)

    def test_the_model_itself_is_equal(self, single, ratio):
        a, b = self.pair(single, ratio)
        assert distributionally_equivalent(a, b)
        assert counterfactually_equivalent(a, b)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_units_of_a_latent(size):
    """z_0 in other units: a weight of z_0 changes by one deviation of z_1, and must be seen."""
    weight = jnp.array([[0.0, 0.0], [1.0 / size, 0.0]])
    scale, bias = jnp.array([size, 1.0]), jnp.zeros(2)
    first, second = (LinearSCM(w * weight, scale, bias) for w in (1.0, 2.0))
    assert intervention_set([first, second]).indices == {1}
    beyond = linear(jnp.array([[1.0, 1e-3 / size], [0.0, 1.0 / size]]))
    assert not is_autoregressive(beyond)


@pytest.mark.parametrize("seed", range(24))
def test_canonical_forms_in_single_precision(seed):
    truth = simulated_truth(jax.random.key(seed), 6, 3, {0, 1}, bias="sparse")
    for form in (identity_canonical_form(in_single(truth)), canonical_form(in_single(truth))):
        found = intervention_set(form.ild)
        assert form.ild.dtype == jnp.float32
        assert found.indices == form.intervened == {4, 5}
        assert found.exact


class TestToleranceZero:
    near = two_columns((1.0, 1.0), shift=(0.0, 1e-14))
    same = two_columns((1.0, 1.0))

    def test_is_honoured(self):
        for check in (distributionally_equivalent, counterfactually_equivalent):
            assert check(self.same, self.near)
            strict = check(self.same, self.near, tolerance=0.0)
            assert not strict
            assert strict.tolerance == 0
        assert not recover_transforms(self.same, self.near, tolerance=0.0).verdict
        assert intervention_set(self.near, tolerance=0.0).indices == {1}

    def test_is_honoured_by_the_test_of_order(self):
        tiny = linear(jnp.array([[1.0, 1e-15], [0.0, 1.0]]))
        assert is_autoregressive(tiny)
        assert not is_autoregressive(tiny, tolerance=0.0)


@pytest.mark.parametrize("tolerance", [-1.0, float("nan")])
@pytest.mark.parametrize(
    "check",
    [
        lambda model, **given: distributionally_equivalent(model, model, **given),
        lambda model, **given: counterfactually_equivalent(model, model, **given),
        lambda model, **given: recover_transforms(model, model, **given),
        intervention_set,
        smallest_form,
    ],
)
def test_a_tolerance_that_nothing_meets_is_refused(check, tolerance):
    with pytest.raises(ValueError, match=f"tolerance must be at least 0.*got {tolerance}"):
        check(two_columns((1.0, 1.0)), tolerance=tolerance)


class TestFactorsThatCancel:
    """B∘B⁻¹ is the identity, but folded into a matrix it is so only up to eps · cond B."""

    def ill(self, seed):
        rng = np.random.default_rng(seed)
        turns = [np.linalg.qr(rng.standard_normal((3, 3)))[0] for _ in range(2)]
        B = turns[0] * np.array([1, 1e-4, 1e-8]) @ turns[1]
        return Affine(jnp.asarray(B), jnp.asarray(rng.standard_normal(3)))

    def scms(self, scale=2.0):
        return [
            LinearSCM.identity(3),
            LinearSCM(jnp.zeros((3, 3)), scale * jnp.ones(3), jnp.ones(3)),
        ]

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("check", [distributionally_equivalent, counterfactually_equivalent])
    def test_in_the_mixing(self, seed, check):
        B, G = self.ill(seed), linear(jnp.eye(3))
        plain, other = ILD(G, self.scms()), ILD(G, self.scms(2.1))
        chained = ILD(Chain([Invert(B), B, G]), self.scms())
        assert check(plain, chained)
        assert check(chained, plain)
        assert not check(other, chained)

    @pytest.mark.parametrize("seed", range(5))
    def test_in_the_mechanisms(self, seed):
        B, (first, second) = self.ill(seed), self.scms()
        chained = Invert(Chain([Invert(B), B, first]))
        assert is_autoregressive(chained)
        assert len(intervention_set([first, chained])) == 0
        assert len(intervention_set([second, chained])) == 3


def test_a_product_that_rounding_makes_singular_leaves_the_verdict_open():
    """G and F are invertible in float64, G F is so only with more digits than it has."""
    G = linear(jnp.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-30]]))
    F = LinearSCM(jnp.array([[0.0, 0.0], [2.0**30, 0.0]]), jnp.ones(2), jnp.zeros(2))
    model = ILD(G, [F, F])
    for check in (distributionally_equivalent, counterfactually_equivalent):
        assert not check(model, model).decided


def test_the_smallest_number_of_interventions_is_not_guessed():
    """Long chains of large weights in float32: a shift of half a deviation drowns in rounding."""
    weights = jnp.tril(100 * jax.random.normal(KEY, (4, 4)), -1)
    shifts = (jnp.zeros(4), jnp.array([0.0, 0.5, 0.0, 0.0]))
    model = ILD(linear(jnp.eye(4)), [LinearSCM(weights, jnp.ones(4), c) for c in shifts])
    assert smallest_form(model).size == 1
    with pytest.raises(AssumptionError, match="rounding may hide displacements of"):
        smallest_form(in_single(model))
    assert smallest_form(in_single(model), tolerance=0.1).size == 1


class TestNotMonotone:
    """Mechanisms without an inverse, where a few points near 0 do not show it."""

    @pytest.mark.parametrize("turn", [6.0, 8.0, 30.0])
    def test_far_out(self, turn):
        with pytest.raises(AssumptionError, match="mechanism 0 .* monotone"):
            MechanismSCM([lambda e, z: jnp.where(e < turn, e, 2 * turn - e)])

    def test_a_slope_that_vanishes_at_some_parent(self):
        with pytest.raises(AssumptionError, match="mechanism 1 .* slope"):
            MechanismSCM([lambda e, z: e, lambda e, z: (4 - z[0] ** 2) * e])

    def test_a_fold_at_few_parents(self):
        fold = lambda e, z: e - 3 * jnp.tanh(e) * jnp.exp(-50 * (z[0] - 2.5) ** 2)  # noqa: E731
        with pytest.raises(AssumptionError, match="mechanism 1 .* monotone"):
            MechanismSCM([lambda e, z: e, fold])

    def test_a_sign_that_jumps_with_the_parent_is_allowed(self):
        f = MechanismSCM([lambda e, z: e, lambda e, z: jnp.where(z[0] < 0, -e, e)])
        np.testing.assert_allclose(f.transform(jnp.array([-1.0, 2.0])), [-1.0, -2.0])

    def test_saturation_far_out_is_allowed(self):
        assert MechanismSCM([lambda e, z: jnp.tanh(e / 4), lambda e, z: jnp.exp(9 * e)]).shape == (
            2,
        )


def smooth_bump(z):
    return 3 * jnp.exp(-0.5 * ((z - AT) ** 2).sum() / 0.08**2)


def steep_bump(z):
    return jnp.where(((z - AT) ** 2).sum() < 0.18**2, 3.0, 0.0)


AT = jnp.array([-1.05, 0.95])
PLAIN = Mechanism(lambda e, z: e, lambda v, z: v)


@pytest.mark.parametrize("bump", [smooth_bump, steep_bump])
def test_a_bump_of_three_deviations_on_less_than_a_hundredth_of_the_mass(bump):
    draws = jax.random.normal(KEY, (100_000, 2))
    assert 0.001 < float((jax.vmap(bump)(draws) > 1.5).mean()) < 0.007
    raised = Mechanism(lambda e, z: e + bump(z), lambda v, z: v - bump(z))
    plain, bumped = MechanismSCM([PLAIN] * 3), MechanismSCM([PLAIN, PLAIN, raised])
    a, b = (ILD(linear(jnp.eye(3)), [plain, f]) for f in (plain, bumped))
    assert not distributionally_equivalent(a, b)
    assert not counterfactually_equivalent(a, b)
    assert not recover_transforms(a, b).verdict
    assert intervention_set(b).indices == {2}


class Raised(AbstractBijection):
    """(ε_0 + bump(ε_1, ε_2), ε_1, ε_2): not autoregressive, but only where the bump is."""

    bump: Callable = eqx.field(static=True)
    shape: tuple[int, ...] = eqx.field(static=True, default=(3,))
    cond_shape: None = eqx.field(static=True, default=None)

    def transform_and_log_det(self, x, condition=None):
        return x.at[0].add(self.bump(x[1:])), jnp.zeros(())

    def inverse_and_log_det(self, y, condition=None):
        return y.at[0].add(-self.bump(y[1:])), jnp.zeros(())


def narrow_bump(z):
    return 3 * jnp.exp(-0.5 * ((z - AT) ** 2).sum() / 0.03**2)


@pytest.mark.parametrize("bump", [narrow_bump, steep_bump])
def test_a_bump_that_breaks_the_order_is_seen(bump):
    assert not is_autoregressive(Raised(bump))
    assert is_autoregressive(Raised(lambda z: 0.0))


def test_a_far_and_narrow_bump_is_climbed_to():
    """On 0.001 % of the mass no point lies on it, but its slope leads there."""
    narrow = lambda z: 3 * jnp.exp(-0.5 * ((z - 4.3) / 0.2) ** 2)  # noqa: E731
    bumped = [PLAIN, Mechanism(lambda e, z: e + narrow(z[0]), lambda v, z: v - narrow(z[0]))]
    scms = [MechanismSCM([PLAIN] * 2), MechanismSCM(bumped)]
    found = intervention_set(scms, num_points=64)
    assert found.indices == {1}
    assert max(found.gaps) > 1


class TestFlippedNoises:
    def test_one_latent(self):
        """f_2 = 2 ε + 1 against 1 − 2 ε: d² = (4·4 + 4)/4 = 5."""
        scms = [LinearSCM.identity(1), LinearSCM(jnp.zeros((1, 1)), 2 * jnp.ones(1), jnp.ones(1))]
        truth = ILD(linear(jnp.eye(1)), scms)
        members = equivalent_members(KEY, truth, 1, count=4)
        assert all(distributionally_equivalent(truth, member) for member in members)
        assert error_bound(KEY, truth, truth, 1, num_members=4).b == pytest.approx(5**0.5)

    def test_every_pattern_of_two_domains(self):
        """Against all 2² flips of two noises in the second domain, written out."""
        second = LinearSCM.from_affine(np.array([[2.0, 0], [1, 0.5]]), np.array([1.0, -1]))
        truth = ILD(linear(jnp.array([[1.0, 0.5], [0, 1]])), [LinearSCM.identity(2), second])
        F, b = second.affine_parts()
        flips = [
            ILD(truth.mixing, [truth.scms[0], LinearSCM.from_affine(F * np.array(s), b)])
            for s in [(1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
        ]
        worst = max(counterfactual_distance(KEY, truth, flip).value for flip in flips)
        assert error_bound(KEY, truth, truth, 2, num_members=4).b >= worst - 1e-9
