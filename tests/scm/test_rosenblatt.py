"""D2 against closed forms: a Gaussian autoregression and an exponential with a random rate."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.scipy.special import ndtr, ndtri
from tests.models import compiled, gap

from elsewhere.scm import LinearSCM, from_conditional_cdfs

GAUSSIAN = (
    [lambda v, z: ndtr((v - 1.0) / 2.0), lambda v, z: ndtr((v - 0.8 * z[0]) / 0.5)],
    [lambda u, z: 1.0 + 2.0 * ndtri(u), lambda u, z: 0.8 * z[0] + 0.5 * ndtri(u)],
)
# z_1 ~ Exp(1) and z_2 | z_1 ~ logistic with location z_1.
SKEWED = (
    [lambda v, z: -jnp.expm1(-jnp.maximum(v, 0.0)), lambda v, z: jax.nn.sigmoid(v - z[0])],
    [lambda u, z: -jnp.log1p(-u), lambda u, z: z[0] + jnp.log(u) - jnp.log1p(-u)],
)
CASES = {"gaussian": GAUSSIAN, "skewed": SKEWED}
EVERY = pytest.mark.parametrize(
    ("name", "with_quantiles"), [(name, q) for name in CASES for q in (True, False)]
)


@functools.cache
def both_ways(name, with_quantiles):
    """(z, ε again, log-det), compiled, over rows of noise."""
    cdfs, quantiles = CASES[name]
    scm = from_conditional_cdfs(cdfs, quantiles if with_quantiles else None)

    def study(eps):
        z, log_det = scm.transform_and_log_det(eps)
        return z, scm.inverse(z), log_det

    return compiled(eqx.filter_vmap(study))


NOISE = jnp.asarray(np.random.default_rng(0).standard_normal((200, 2)))


@EVERY
def test_round_trip(name, with_quantiles):
    _, back, _ = both_ways(name, with_quantiles)(NOISE)
    assert gap(back, NOISE) < 1e-9


@pytest.mark.parametrize("name", CASES)
def test_log_det_is_autodiffs(name):
    scm = from_conditional_cdfs(*CASES[name])
    jacobian = compiled(lambda eps: jax.vmap(jax.jacfwd(scm.transform))(eps))(NOISE)
    assert gap(both_ways(name, True)(NOISE)[2], np.linalg.slogdet(jacobian)[1]) < 1e-9


@pytest.mark.parametrize("name", CASES)
def test_with_and_without_quantiles_agree(name):
    with_, without = (both_ways(name, q)(NOISE) for q in (True, False))
    assert gap(with_[0], without[0]) < 1e-9
    assert gap(with_[2], without[2]) < 1e-7  # a slope of a bisected root: tails keep few digits


@pytest.mark.parametrize("with_quantiles", [True, False])
def test_gaussian_autoregression_is_the_linear_scm(with_quantiles):
    linear = LinearSCM(
        jnp.array([[0.0, 0.0], [0.8, 0.0]]), jnp.array([2.0, 0.5]), jnp.array([1.0, 0.0])
    )
    z, _, log_det = both_ways("gaussian", with_quantiles)(NOISE)
    assert gap(z, jax.vmap(linear.transform)(NOISE)) < 1e-9
    assert gap(log_det, jnp.full(len(NOISE), jnp.log(1.0))) < 1e-7


def test_samples_have_the_moments_of_the_closed_form():
    noise = np.random.default_rng(0).standard_normal((5000, 2))
    z = np.asarray(both_ways("skewed", True)(jnp.asarray(noise))[0])
    first, rest = z[:, 0], z[:, 1] - z[:, 0]
    error = 4 / np.sqrt(len(z))  # four standard errors, in units of the standard deviation
    assert first.mean() == pytest.approx(1.0, abs=error)
    assert (first > 0).all()
    assert np.quantile(first, 0.5) == pytest.approx(np.log(2), abs=error)
    assert rest.mean() == pytest.approx(0.0, abs=error * np.pi / np.sqrt(3))
    assert rest.var() == pytest.approx(np.pi**2 / 3, rel=0.15)
    assert abs(np.corrcoef(first, rest)[0, 1]) < error


@pytest.mark.parametrize("with_quantiles", [True, False])
def test_works_in_float32(with_quantiles):
    """JAX's default. There Φ(6) is exactly 1, which must not count against the mechanism."""
    with jax.enable_x64(False):
        scm = from_conditional_cdfs(GAUSSIAN[0], GAUSSIAN[1] if with_quantiles else None)
        eps = jnp.array([0.5, -1.0])
        z = compiled(scm.transform)(eps)
        np.testing.assert_allclose(z, [2.0, 1.1], atol=1e-4)
        np.testing.assert_allclose(compiled(scm.inverse)(z), eps, atol=1e-4)


def test_a_conditional_far_from_zero():
    scm = from_conditional_cdfs([lambda v, z: ndtr(v - 50.0)])
    assert compiled(scm.transform)(jnp.array([0.5]))[0] == pytest.approx(50.5)
