"""The contract of a bijection, on both signs, against automatic differentiation."""

import flowjax.bijections as fb
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import compiled, gap, random_matrix, random_scm, seeds

from elsewhere.bijections import Affine, LeakyReLU, as_affine, compose, inverse
from elsewhere.bijections.in_numpy import in_numpy
from elsewhere.errors import AssumptionError
from elsewhere.mixing import leaky_linear

RNG = np.random.default_rng(0)
SCM = random_scm(RNG, "linear", 3, 0.5)
REGISTRY = {
    "affine": Affine(random_matrix(RNG, 3), jnp.array([1.0, -2.0, 3.0])),
    "affine, no offset": Affine(random_matrix(RNG, 3)),
    "affine, one dimension": Affine(jnp.array([[-3.0]])),
    "leaky": LeakyReLU((3,)),
    "leaky, steep": LeakyReLU((3,), slope=4.0),
    "composed": compose(Affine(random_matrix(RNG, 3)), LeakyReLU((3,), slope=0.1), SCM),
}
EVERY = pytest.mark.parametrize("name", REGISTRY)


@compiled
def both_ways(bijection, x):
    y, log_det = bijection.transform_and_log_det(x)
    back, back_log_det = bijection.inverse_and_log_det(y)
    by_autodiff = jnp.linalg.slogdet(jax.jacobian(bijection.transform)(x))[1]
    return back, log_det, back_log_det, by_autodiff


@EVERY
@given(seed=seeds, log_size=st.floats(-3, 3))
def test_contract(name, seed, log_size):
    bijection = REGISTRY[name]
    normal = np.random.default_rng(seed).standard_normal(bijection.shape)
    for sign in (1, -1):
        x = jnp.asarray(sign * 10**log_size * normal)
        back, log_det, back_log_det, by_autodiff = both_ways(bijection, x)
        assert gap(back, x) < 1e-12
        assert gap(log_det, by_autodiff) < 1e-12
        assert gap(back_log_det, -by_autodiff) < 1e-12


def test_leaky_relu_values_on_both_signs():
    leaky = LeakyReLU((3,), slope=0.25)
    y, log_det = leaky.transform_and_log_det(jnp.array([-4.0, 0.0, 4.0]))
    assert y.tolist() == [-1.0, 0.0, 4.0]
    assert log_det == pytest.approx(np.log(0.25))
    assert leaky.inverse(y).tolist() == [-4.0, 0.0, 4.0]


def test_affine_is_the_matrix_product():
    A, b, x = RNG.standard_normal((2, 2)), RNG.standard_normal(2), RNG.standard_normal(2)
    y, log_det = Affine(jnp.asarray(A), jnp.asarray(b)).transform_and_log_det(jnp.asarray(x))
    np.testing.assert_allclose(y, A @ x + b, rtol=1e-14)
    assert log_det == pytest.approx(np.log(abs(np.linalg.det(A))))


def test_log_det_survives_where_the_determinant_underflows():
    affine = Affine(1e-6 * jnp.eye(64))
    _, log_det = affine.inverse_and_log_det(jnp.ones(64))
    assert log_det == pytest.approx(64 * np.log(1e6))  # det = 1e-384 is 0 in float64


@pytest.mark.parametrize("slope", [0.0, -0.5])
def test_leaky_relu_refuses_a_slope_that_is_not_increasing(slope):
    with pytest.raises(ValueError, match="slope must be positive"):
        LeakyReLU((2,), slope=slope)


def test_singular_matrix_is_refused():
    with pytest.raises(AssumptionError, match="invertible"):
        Affine(jnp.array([[1.0, 2.0], [2.0, 4.0]]))


def test_condition_number_is_judged_in_the_matrix_dtype():
    matrix = random_matrix(RNG, 4, condition=1e7)
    Affine(matrix)
    with pytest.raises(AssumptionError, match="float32"):
        Affine(matrix.astype(jnp.float32))


@pytest.mark.parametrize("bad", [jnp.nan, jnp.inf])
def test_non_finite_matrix_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        Affine(jnp.array([[1.0, 0.0], [0.0, bad]]))


def test_affine_can_be_built_while_tracing():
    matrix = jnp.array([[2.0]])
    assert jax.jit(lambda x: Affine(matrix).transform(x))(jnp.ones(1)).tolist() == [2.0]
    assert jax.jit(lambda A: Affine(A).transform(jnp.ones(1)))(matrix).tolist() == [2.0]


AFFINE = {
    "identity": fb.Identity((3,)),
    "permute": fb.Permute(jnp.array([2, 0, 1])),
    "flip": fb.Flip((3,)),
    "loc": fb.Loc(jnp.array([1.0, 2.0, 3.0])),
    "affine": REGISTRY["affine"],
    "linear SCM": SCM,
    "inverse": fb.Invert(REGISTRY["affine"]),
    "chain": fb.Chain([SCM, fb.Flip((3,)), fb.Invert(SCM)]),
}


@pytest.mark.parametrize("name", AFFINE)
def test_as_affine_gives_the_map(name):
    parts = as_affine(AFFINE[name])
    assert parts is not None
    x = jnp.array([0.3, -1.2, 2.0])
    np.testing.assert_allclose(parts[0] @ x + parts[1], AFFINE[name].transform(x), atol=1e-12)


@pytest.mark.parametrize("name", ["leaky", "composed"])
def test_as_affine_refuses_what_is_not(name):
    assert as_affine(REGISTRY[name]) is None
    assert as_affine(inverse(REGISTRY[name])) is None


def test_compose_applies_the_last_first_and_folds_affine_neighbours():
    g, leaky = REGISTRY["affine"], LeakyReLU((3,))
    x = jnp.array([0.3, -1.2, 2.0])
    np.testing.assert_allclose(
        compose(leaky, g, SCM).transform(x), leaky.transform(g.transform(SCM.transform(x)))
    )
    assert isinstance(compose(g, SCM), Affine)
    assert len(compose(leaky, g, SCM).bijections) == 2
    assert isinstance(compose(fb.Identity((3,))), fb.Identity)
    assert compose(g, fb.Identity((3,))) is g


def test_inverse_undoes_and_does_not_wrap_twice():
    g, x = REGISTRY["composed"], jnp.array([0.3, -1.2, 2.0])
    np.testing.assert_allclose(inverse(g).transform(g.transform(x)), x, atol=1e-12)
    np.testing.assert_allclose(compose(inverse(g), g).transform(x), x, atol=1e-12)
    assert inverse(inverse(SCM)) is SCM
    assert isinstance(inverse(fb.Identity((3,))), fb.Identity)


@pytest.mark.parametrize("slope", [0.3, 2.0])
def test_in_numpy_has_the_values_and_log_determinants_of_jax(slope):
    rng = np.random.default_rng(0)
    g = leaky_linear(jnp.asarray(rng.standard_normal((3, 3))), jnp.ones(3), slope=slope)
    x = rng.standard_normal((50, 3))
    for inverted, one in ((False, g.transform_and_log_det), (True, g.inverse_and_log_det)):
        plain = in_numpy([(g, inverted)])
        assert plain is not None
        for found, expected in zip(
            plain.and_log_det(x), jax.vmap(one)(jnp.asarray(x)), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(plain(x), plain.and_log_det(x)[0])
