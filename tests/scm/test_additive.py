"""AdditiveSCM: triangular, with noise that only adds, and bends where it says."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from tests.models import SIZES, compiled, gap, seeds

from elsewhere.errors import AssumptionError
from elsewhere.scm import AdditiveSCM, LinearSCM
from elsewhere.scm.additive import CURVES


def random_additive(rng, m):
    scale = rng.choice([-1.0, 1.0], m) * np.exp(rng.uniform(-1, 1, m))
    return AdditiveSCM(0.5 * rng.standard_normal((m, m, CURVES)), scale, rng.standard_normal(m))


@compiled
def study(scm, eps):
    z, log_det = scm.transform_and_log_det(eps)
    back, back_log_det = scm.inverse_and_log_det(z)
    return back, log_det, back_log_det, jax.jacfwd(scm.transform)(eps)


@pytest.mark.parametrize("m", SIZES)
@given(seed=seeds)
def test_contract(m, seed):
    rng = np.random.default_rng(seed)
    scm, eps = random_additive(rng, m), rng.standard_normal(m)
    back, log_det, back_log_det, forward = jax.device_get(study(scm, jnp.asarray(eps)))
    assert gap(back, eps) < 1e-9
    assert gap(log_det, np.linalg.slogdet(forward)[1]) < 1e-9
    assert gap(back_log_det, -log_det) < 1e-12
    assert (np.triu(forward, 1) == 0).all()


def test_by_hand():
    weights = np.zeros((2, 2, CURVES))
    weights[1, 0] = 2.0, 0.0, 3.0, 0.0
    weights[0, 1] = 9.0  # no parent, for it comes later
    scm = AdditiveSCM(weights, np.array([1.0, 0.5]), np.array([0.0, 4.0]))
    z = scm.transform(jnp.array([0.7, -1.0]))
    np.testing.assert_allclose(z, [0.7, 1.4 + 3 * np.tanh(1.05) - 0.5 + 4.0], rtol=1e-6)


def test_straight_curves_are_linear_mechanisms():
    rng = np.random.default_rng(0)
    weights, scale, bias = rng.normal(size=(3, 3)), rng.uniform(1, 2, 3), rng.normal(size=3)
    straight = np.concatenate([weights[..., None], np.zeros((3, 3, CURVES - 1))], axis=-1)
    eps = jnp.asarray(rng.normal(size=3))
    one, other = AdditiveSCM(straight, scale, bias), LinearSCM(weights, scale, bias)
    np.testing.assert_allclose(one.transform(eps), other.transform(eps), rtol=1e-5)


def test_without_noise_there_is_no_inverse():
    with pytest.raises(AssumptionError, match="finite and non-zero"):
        AdditiveSCM(np.zeros((1, 1, CURVES)), np.zeros(1), np.zeros(1))
