"""LinearSCM against its own definition, solved mechanism by mechanism in NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import SIZES, compiled, gap, random_matrix, random_scm, seeds

from elsewhere.bijections import as_affine
from elsewhere.errors import AssumptionError
from elsewhere.scm import LinearSCM


@compiled
def study(scm, eps):
    z, log_det = scm.transform_and_log_det(eps)
    back, back_log_det = scm.inverse_and_log_det(z)
    jacobians = jax.jacfwd(scm.transform)(eps), jax.jacfwd(scm.inverse)(z)
    return z, log_det, back, back_log_det, *jacobians


def solve_in_order(scm, eps):
    weights, scale, bias = (np.asarray(a) for a in (scm.weights, scm.scale, scm.bias))
    z = np.zeros(len(eps))
    for j in range(len(eps)):
        z[j] = weights[j, :j] @ z[:j] + scale[j] * eps[j] + bias[j]
    return z


@pytest.mark.parametrize("m", SIZES)
@given(seed=seeds, spread=st.floats(0.0, 1.0), signed=st.booleans())
def test_against_the_mechanisms(m, seed, spread, signed):
    rng = np.random.default_rng(seed)
    scm, eps = random_scm(rng, "linear", m, spread, signed=signed), rng.standard_normal(m)
    z, log_det, back, back_log_det, forward, backward = jax.device_get(study(scm, jnp.asarray(eps)))
    assert gap(z, solve_in_order(scm, eps)) < 1e-12
    assert gap(back, eps) < 1e-9
    assert gap(log_det, np.linalg.slogdet(forward)[1]) < 1e-9
    assert gap(back_log_det, np.linalg.slogdet(backward)[1]) < 1e-9
    assert (np.triu(forward, 1) == 0).all()
    assert (np.triu(backward, 1) == 0).all()


def test_upper_triangle_of_the_weights_is_not_read():
    rng = np.random.default_rng(0)
    scm = random_scm(rng, "linear", 3, 1.0)
    lower = LinearSCM(jnp.tril(scm.weights, -1), scm.scale, scm.bias)
    eps = jnp.asarray(rng.standard_normal(3))
    assert (scm.transform(eps) == lower.transform(eps)).all()
    assert (scm.inverse(eps) == lower.inverse(eps)).all()


@given(seed=seeds)
def test_affine_parts_and_back(seed):
    scm = random_scm(np.random.default_rng(seed), "linear", 3, 1.0)
    again = LinearSCM.from_affine(*scm.affine_parts())
    np.testing.assert_allclose(again.weights, jnp.tril(scm.weights, -1), atol=1e-12)
    np.testing.assert_allclose(again.scale, scm.scale, rtol=1e-12)
    np.testing.assert_allclose(again.bias, scm.bias, atol=1e-12)


def test_affine_parts_are_what_compose_reads():
    scm = random_scm(np.random.default_rng(0), "linear", 3, 1.0)
    matrix, offset = as_affine(scm)
    eps = jnp.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(matrix @ eps + offset, solve_in_order(scm, eps), rtol=1e-12)


def test_from_affine_refuses_what_is_not_lower_triangular():
    with pytest.raises(AssumptionError, match="lower triangular"):
        LinearSCM.from_affine(random_matrix(np.random.default_rng(0), 3), jnp.zeros(3))


def test_identity():
    eps = jnp.array([1.0, -2.0])
    z, log_det = LinearSCM.identity(2).transform_and_log_det(eps)
    assert (z == eps).all()
    assert log_det == 0


@pytest.mark.parametrize("bad", [0.0, jnp.nan, jnp.inf])
def test_scale_that_loses_the_noise_is_refused(bad):
    with pytest.raises(AssumptionError, match="mechanism 1 has scale"):
        LinearSCM(jnp.zeros((3, 3)), jnp.array([1.0, bad, 1.0]), jnp.zeros(3))
