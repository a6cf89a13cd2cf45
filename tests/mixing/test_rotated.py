"""Couplings between rotations are a bijection, and its log-determinant is exact."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import gap, perturb

from elsewhere.mixing import RotatedCouplings


@given(st.integers(2, 6), st.integers(1, 3), st.sampled_from([1e-6, 1.0, 1e3]))
def test_round_trip_and_log_det(m, couplings, scale):
    plain = RotatedCouplings(jax.random.key(m), m, couplings=couplings, width=4)
    g = perturb(np.random.default_rng(couplings), plain, 0.3)
    g = eqx.tree_at(lambda g: g.rotations, g, plain.rotations)
    u = scale * jax.random.normal(jax.random.key(1), (m,))
    z, log_det = g.transform_and_log_det(u)
    back, log_det_back = g.inverse_and_log_det(z)
    assert gap(back, u) < 1e-9 * max(1, scale)
    assert abs(log_det + log_det_back) < 1e-9
    assert abs(log_det - jnp.linalg.slogdet(jax.jacfwd(g.transform)(u))[1]) < 1e-7


def test_rotations_do_not_move_and_everything_mixes():
    g = RotatedCouplings(jax.random.key(0), 4, couplings=2, width=4)
    slope = eqx.filter_grad(lambda g: g.transform(jnp.ones(4)).sum())(g)
    assert (slope.rotations == 0).all()
    assert any((leaf != 0).any() for leaf in jax.tree.leaves(slope.networks))
    assert (jax.jacfwd(g.transform)(jnp.ones(4)) != 0).all()


def test_sizes_are_checked():
    with pytest.raises(ValueError, match="m must be at least 2 and couplings at least 1"):
        RotatedCouplings(jax.random.key(0), 1)
