"""AutoregressiveSCM: triangular, increasing in its own noise, inverted in closed form."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import SIZES, compiled, gap, random_scm, seeds

from elsewhere.scm import AutoregressiveSCM

KEY = jax.random.key(0, impl="unsafe_rbg")  # quicker to compile than threefry


@compiled
def study(scm, eps):
    z, log_det = scm.transform_and_log_det(eps)
    back, back_log_det = scm.inverse_and_log_det(z)
    jacobians = jax.jacfwd(scm.transform)(eps), jax.jacfwd(scm.inverse)(z)
    return back, log_det, back_log_det, *jacobians


@pytest.mark.parametrize("m", SIZES)
@given(seed=seeds, spread=st.floats(0.0, 1.0))
def test_contract(m, seed, spread):
    rng = np.random.default_rng(seed)
    scm, eps = random_scm(rng, "autoregressive", m, spread), rng.standard_normal(m)
    answer = jax.device_get(study(scm, jnp.asarray(eps)))
    back, log_det, back_log_det, forward, backward = answer
    assert gap(back, eps) < 1e-9
    assert gap(log_det, np.linalg.slogdet(forward)[1]) < 1e-9
    assert gap(back_log_det, np.linalg.slogdet(backward)[1]) < 1e-9
    assert (np.triu(forward, 1) == 0).all()
    assert (np.triu(backward, 1) == 0).all()
    assert (np.diagonal(forward) > 0).all()


def test_the_noise_bends_and_the_parents_matter():
    scm = AutoregressiveSCM(KEY, 2)
    eps = jnp.linspace(-2, 2, 5)
    z = compiled(eqx.filter_vmap(scm.transform))(jnp.stack([eps, eps[::-1]], axis=1))
    assert np.abs(np.diff(z[:, 0], n=2)).min() > 1e-3  # not affine in ε_1
    *_, jacobian, _ = study(scm, jnp.array([0.5, -0.5]))
    assert jacobian[1, 0] != 0


def test_zero_spread_is_the_identity():
    scm = AutoregressiveSCM(KEY, 3, spread=0.0)
    eps = jnp.array([1.0, -2.0, 0.0])
    np.testing.assert_allclose(compiled(scm.transform)(eps), eps, atol=1e-14)


def test_far_tails_stay_finite():
    scm = AutoregressiveSCM(KEY, 2, spread=3.0)
    for size in (1e-6, 1e6):
        eps = jnp.array([size, -size])
        back, log_det, *_ = study(scm, eps)
        np.testing.assert_allclose(back, eps, rtol=1e-8, atol=1e-12)
        assert np.isfinite(log_det)
