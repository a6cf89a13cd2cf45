"""Mixings: what each computes, its inverse and its log-determinant."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import MIXINGS, compiled, gap, random_mixing, seeds, spreads

from elsewhere.errors import AssumptionError
from elsewhere.mixing import leaky_linear, linear, neural_spline, real_nvp

KEY = jax.random.key(0, impl="unsafe_rbg")


@compiled
def both_ways(mixing, z):
    x, log_det = mixing.transform_and_log_det(z)
    back, back_log_det = mixing.inverse_and_log_det(x)
    jacobian = jax.jacfwd(mixing.transform)(z)
    return back, log_det, back_log_det, jnp.linalg.slogdet(jacobian)[1]


@pytest.mark.parametrize(("kind", "m"), [(k, m) for k in MIXINGS for m in (1, 3)])
@given(seed=seeds, spread=spreads, sign=st.sampled_from([-1, 1]))
def test_contract(kind, m, seed, spread, sign):
    rng = np.random.default_rng(seed)
    mixing, z = random_mixing(rng, kind, m, spread), jnp.asarray(sign * rng.standard_normal(m))
    back, log_det, back_log_det, by_autodiff = both_ways(mixing, z)
    assert gap(back, z) < 1e-9
    assert gap(log_det, by_autodiff) < 1e-9
    assert gap(back_log_det, -by_autodiff) < 1e-9


def test_linear_and_leaky_linear_values():
    G, b = jnp.array([[2.0, 1.0], [0.0, 4.0]]), jnp.array([1.0, -1.0])
    z = jnp.array([-2.0, 3.0])
    assert linear(G, b).transform(z).tolist() == [0.0, 11.0]
    assert leaky_linear(G, b, slope=0.5).transform(z).tolist() == [2.0, 11.0]
    assert leaky_linear(G).transform(-z).tolist() == [2.5, -6.0]


@pytest.mark.parametrize("make", [linear, leaky_linear])
def test_singular_matrix_is_refused(make):
    with pytest.raises(AssumptionError, match="invertible"):
        make(jnp.ones((2, 2)))


@pytest.mark.parametrize("make", [real_nvp, neural_spline])
def test_sizes_are_checked(make):
    for sizes in ({"m": 0}, {"m": 2, "couplings": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            make(KEY, **sizes)


@pytest.mark.parametrize("make", [real_nvp, neural_spline])
def test_one_dimension_starts_at_the_identity_and_has_parameters(make):
    mixing = make(KEY, 1)
    np.testing.assert_allclose(mixing.transform(jnp.array([-1.5])), [-1.5])
    assert jax.tree.leaves(eqx.filter(mixing, eqx.is_inexact_array))
