import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flowjax.bijections import Permute
from scipy import stats
from tests.models import random_matrix, random_scm

from elsewhere import LinearSCM, abduct, linear
from elsewhere.bijections import compose, inverse
from elsewhere.errors import AssumptionError
from elsewhere.theory import standard_form

ORDER = [2, 0, 1]


def unordered(seed):
    """An SCM whose variables 2, 0, 1 come in that order."""
    sort = Permute(jnp.array(ORDER))
    f = random_scm(np.random.default_rng(seed), "linear", 3, 0.5)
    return compose(inverse(sort), f, sort), f


def test_order_is_merged_into_the_mixing():
    (f, _), (h, _) = unordered(0), unordered(1)
    g = linear(random_matrix(np.random.default_rng(2), 3))
    model = standard_form(g, [f, h], order=ORDER)
    assert all(isinstance(scm, LinearSCM) for scm in model.scms)
    eps = jax.random.normal(jax.random.key(0), (3,))
    shuffled = jnp.zeros(3).at[jnp.array(ORDER)].set(eps)
    np.testing.assert_allclose(
        model.mixing.transform(model.scms[0].transform(eps)),
        g.transform(f.transform(shuffled)),
        atol=1e-12,
    )


def test_a_wrong_order_names_the_domain():
    f, _ = unordered(0)
    with pytest.raises(AssumptionError, match="in domain 0"):
        standard_form(linear(jnp.eye(3)), [f], order=[0, 1, 2])
    with pytest.raises(ValueError, match="list each of"):
        standard_form(linear(jnp.eye(3)), [f], order=[0, 0, 1])


def test_laplace_noise_becomes_normal():
    cdf = lambda x: jnp.where(x < 0, 0.5 * jnp.exp(x), 1 - 0.5 * jnp.exp(-x))  # noqa: E731
    quantile = lambda u: -jnp.sign(u - 0.5) * jnp.log1p(-2 * jnp.abs(u - 0.5))  # noqa: E731
    f = LinearSCM(jnp.zeros((1, 1)), 2 * jnp.ones(1), jnp.ones(1))
    model = standard_form(linear(jnp.eye(1)), [f], noise_cdf=cdf, noise_quantile=quantile)
    x = np.linspace(-6, 6, 50)[:, None]
    log_prob = jax.vmap(lambda row: model.log_prob(row, d=0))(jnp.asarray(x))
    np.testing.assert_allclose(log_prob, stats.laplace(1, 2).logpdf(x[:, 0]), atol=1e-6)
    sample = model.sample(jax.random.key(1), 4_000, d=0)[:, 0]
    assert stats.kstest(np.asarray(sample), stats.laplace(1, 2).cdf).pvalue > 0.01
    eps = abduct(model, jnp.array([1.0]), d=0)
    np.testing.assert_allclose(eps, 0.0, atol=1e-9)


def test_half_a_noise_is_refused():
    with pytest.raises(ValueError, match="given together"):
        standard_form(linear(jnp.eye(1)), [LinearSCM.identity(1)], noise_cdf=jnp.tanh)
