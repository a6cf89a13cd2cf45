"""A network for the last k mechanisms: invertible, exact, and the rest shared."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import gap, perturb

from elsewhere.scm import TailSCM
from elsewhere.theory import intervention_set

SIZES = st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3)).filter(
    lambda s: s[1] <= s[0]
)


def scm_of(seed, m, k, num_domains):
    plain = TailSCM(jax.random.key(seed), m, k, num_domains, width=4)
    return perturb(np.random.default_rng(seed), plain, 0.5)


@given(SIZES, st.integers(0, 10))
def test_round_trip_and_log_det(sizes, seed):
    m, k, num_domains = sizes
    f = scm_of(seed, m, k, num_domains).of(num_domains - 1)
    eps = 3 * jax.random.normal(jax.random.key(seed + 1), (m,))
    z, log_det = f.transform_and_log_det(eps)
    back, log_det_back = f.inverse_and_log_det(z)
    assert gap(back, eps) < 1e-9
    assert abs(log_det + log_det_back) < 1e-9
    assert abs(log_det - jnp.linalg.slogdet(jax.jacfwd(f.transform)(eps))[1]) < 1e-8


def test_jacobian_is_lower_triangular_with_a_positive_diagonal():
    f = scm_of(0, 5, 3, 2).of(1)
    J = jax.jacfwd(f.transform)(jnp.arange(5.0))
    assert gap(J, jnp.tril(J)) == 0
    assert (jnp.diag(J) > 0).all()


def test_the_first_mechanisms_do_nothing_and_the_last_k_differ():
    f = scm_of(0, 4, 2, 3)
    eps = jnp.array([0.3, -1.0, 2.0, 0.5])
    moved = [f.of(d).transform(eps) for d in range(3)]
    assert all((z[:2] == eps[:2]).all() for z in moved)
    assert gap(moved[0], moved[1]) > 1e-3
    assert intervention_set([f.of(d) for d in range(3)]).indices == {2, 3}


def test_starts_near_the_identity():
    f = TailSCM(jax.random.key(0), 4, 2, 3)
    assert gap(f.of(2).transform(jnp.ones(4)), jnp.ones(4)) < 0.05


@pytest.mark.parametrize("k", [0, 5])
def test_k_within_the_dimension(k):
    with pytest.raises(ValueError, match=r"k must be in 1..4, the dimension; got"):
        TailSCM(jax.random.key(0), 4, k, 2)


def test_an_anchored_first_domain_is_the_identity():
    plain = TailSCM(jax.random.key(0), 4, 2, 2, width=4, anchored=True)
    f, eps = perturb(np.random.default_rng(0), plain, 0.5), jnp.arange(4.0)
    assert (f.of(0).transform(eps) == eps).all()
    assert (f.of(0).inverse(eps) == eps).all()
    assert gap(f.of(1).transform(eps), eps) > 1e-2
