"""What must hold for every ILD, tried on hundreds of random ones."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.scipy.stats import norm
from scipy.stats import multivariate_normal
from tests.models import (
    KINDS,
    compiled,
    gap,
    masks,
    random_ild,
    random_matrix,
    random_scm,
    seeds,
    spreads,
)

from elsewhere.errors import AssumptionError, DomainError
from elsewhere.mixing import leaky_linear, linear
from elsewhere.model import ILD
from elsewhere.queries import abduct, counterfactual, predict
from elsewhere.scm import LinearSCM

EVERY_KIND = pytest.mark.parametrize(("mixing", "scm", "m"), KINDS)


@compiled
def ask(model, x, eps):
    """All that is asked of a model of two domains, 0 and 1, at a point and a noise."""
    noise = abduct(model, x, d=0)
    made = predict(model, eps, d_prime=1)
    jacobian = jax.jacfwd(lambda x: abduct(model, x, d=0))(x)
    return {
        "noise": noise,
        "noise in the other domain": abduct(model, x, d=1),
        "x again": predict(model, noise, d_prime=0),
        "made": made,
        "eps again": abduct(model, made, d=1),
        "moved": counterfactual(model, x, d=0, d_prime=1),
        "log_prob": model.log_prob(x, d=0),
        "log_prob by autodiff": norm.logpdf(noise).sum() + jnp.linalg.slogdet(jacobian)[1],
    }


@compiled
def round_trips(model, x, eps):
    """x → ε → x in domain 0 and ε → x → ε in domain 1."""
    noise, made = abduct(model, x, d=0), predict(model, eps, d_prime=1)
    return predict(model, noise, d_prime=0), abduct(model, made, d=1)


def pair(model, d, d_prime):
    """The model of two of the domains: one compiled function serves every pair."""
    return ILD(model.mixing, [model.scm(d), model.scm(d_prime)])


@EVERY_KIND
@given(data=st.data(), seed=seeds, spread=spreads)
def test_laws_hold_in_float64(mixing, scm, m, data, seed, spread):
    mask = data.draw(masks(m))
    model = random_ild(seed, mixing, scm, m, 3, mask, spread)
    eps, noise = jnp.asarray(np.random.default_rng(seed).standard_normal((2, m)))
    x = ask(pair(model, 0, 1), noise, noise)["made"]
    stay, there, onwards, straight = (
        jax.device_get(ask(pair(model, d, d_prime), x, eps))
        for d, d_prime in ((0, 0), (0, 1), (1, 2), (0, 2))
    )
    twice = ask(pair(model, 1, 2), jnp.asarray(there["moved"]), eps)["moved"]
    for answer in (there, onwards, straight):
        assert gap(answer["x again"], np.asarray(x)) < 1e-9
        assert gap(answer["eps again"], np.asarray(eps)) < 1e-9
        assert gap(answer["log_prob"], answer["log_prob by autodiff"]) < 1e-9
        differ = np.abs(answer["noise"] - answer["noise in the other domain"])
        assert ((differ > 1e-12 * np.maximum(1, np.abs(answer["noise"]))) == mask).all()
    assert gap(stay["moved"], np.asarray(x)) < 1e-9
    assert gap(np.asarray(twice), straight["moved"]) < 1e-9


@pytest.mark.parametrize(("mixing", "scm", "m"), [kind for kind in KINDS if kind[2] in (1, 2, 8)])
@given(data=st.data(), seed=seeds, spread=spreads)
def test_round_trips_in_float32(mixing, scm, m, data, seed, spread):
    with jax.enable_x64(False):
        model = random_ild(seed, mixing, scm, m, 2, data.draw(masks(m)), spread)
        x, eps = jnp.asarray(np.random.default_rng(seed).standard_normal((2, m)))
        x_again, eps_again = jax.device_get(round_trips(model, x, eps))
        assert model.dtype == x_again.dtype == eps_again.dtype == jnp.float32
        assert gap(x_again, np.asarray(x)) < 1e-4
        assert gap(eps_again, np.asarray(eps)) < 1e-4


def linear_model(rng, m, condition=9.0, spread=0.5):
    """An all-linear model of one domain, with its mean and factor C (covariance C Cᵀ) by NumPy."""
    G, b = random_matrix(rng, m, condition), rng.standard_normal(m)
    scm = random_scm(rng, "linear", m, spread)
    mechanisms = np.eye(m) - np.tril(np.asarray(scm.weights), -1)
    mean = np.asarray(G) @ np.linalg.solve(mechanisms, np.asarray(scm.bias)) + b
    factor = np.asarray(G) @ np.linalg.solve(mechanisms, np.diag(np.asarray(scm.scale)))
    return ILD(linear(G, jnp.asarray(b)), [scm]), mean, factor


@pytest.mark.parametrize("m", [1, 3, 8])
def test_log_prob_is_scipys_normal(m):
    rng = np.random.default_rng(m)
    model, mean, factor = linear_model(rng, m)
    x = mean + rng.standard_normal((20, m)) @ factor.T
    got = batched_log_prob(model, jnp.asarray(x))
    np.testing.assert_allclose(got, multivariate_normal(mean, factor @ factor.T).logpdf(x), 1e-9)


def test_sample_has_the_closed_forms_moments():
    model, mean, factor = linear_model(np.random.default_rng(0), 3)
    x = np.asarray(model.sample(jax.random.key(0), 40_000, d=0))
    white = np.linalg.solve(factor, (x - mean).T)
    assert x.shape == (40_000, 3)
    np.testing.assert_allclose(white.mean(axis=1), 0, atol=4 / np.sqrt(40_000))
    np.testing.assert_allclose(np.cov(white), np.eye(3), atol=6 / np.sqrt(40_000))
    again = model.sample(jax.random.key(0), 1, d=0)
    assert again.shape == (1, 3)


@pytest.mark.parametrize(("mixing", "scm", "m"), [kind for kind in KINDS if kind[2] <= 2])
def test_density_integrates_to_one(mixing, scm, m):
    """By the trapezoid rule on a grid that holds all but a negligible part of the mass."""
    model = random_ild(1, mixing, scm, m, 1, np.ones(m, bool), 0.3)
    x = np.asarray(batched_predict(model, np.random.default_rng(0).standard_normal((4000, m))))
    margin = np.ptp(x, axis=0)
    n = 20_001 if m == 1 else 401
    lows, highs = x.min(axis=0) - margin, x.max(axis=0) + margin
    axes = [np.linspace(low, high, n) for low, high in zip(lows, highs, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, m)
    density = np.exp(batched_log_prob(model, jnp.asarray(grid)))
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    # A kink or a spline's end breaks the density itself, so the rule is only of first order there.
    assert density.sum() * cell == pytest.approx(1.0, abs=5e-3)


@compiled
def batched_predict(model, eps):
    return jax.vmap(lambda e: predict(model, e, d_prime=0))(eps)


@compiled
def batched_log_prob(model, x):
    return jax.vmap(lambda x: model.log_prob(x, d=0))(x)


@compiled
def gradient_of_mean_log_prob(model, x):
    return eqx.filter_grad(lambda m: jax.vmap(lambda x: m.log_prob(x, d=1))(x).mean())(model)


@pytest.mark.parametrize(("mixing", "scm", "m"), [kind for kind in KINDS if kind[2] <= 2])
def test_gradients_are_finite_in_every_leaf(mixing, scm, m):
    model = random_ild(2, mixing, scm, m, 2, np.ones(m, bool), 0.3)
    x = jnp.asarray(np.random.default_rng(0).standard_normal((1, m)))  # a batch of one
    gradient = gradient_of_mean_log_prob(model, x)
    leaves = jax.tree.leaves(gradient)
    assert len(leaves) == len(jax.tree.leaves(eqx.filter(model, eqx.is_inexact_array)))
    assert all(np.isfinite(leaf).all() for leaf in leaves)
    # Only the domain that was asked is pulled, and the mixing always is.
    assert all((leaf == 0).all() for leaf in jax.tree.leaves(gradient.scms[0]))
    assert any((leaf != 0).any() for leaf in jax.tree.leaves(gradient.scms[1]))
    assert any((leaf != 0).any() for leaf in jax.tree.leaves(gradient.mixing))


def test_leaky_mixing_on_both_signs():
    model = ILD(leaky_linear(2 * jnp.eye(2), slope=0.5), [LinearSCM.identity(2)])
    assert predict(model, jnp.array([3.0, -3.0]), d_prime=0).tolist() == [6.0, -3.0]
    assert abduct(model, jnp.array([-6.0, 6.0]), d=0).tolist() == [-6.0, 3.0]
    by_hand = norm.logpdf(jnp.array([-6.0, 3.0])).sum() - jnp.log(2.0) - jnp.log(1.0)
    assert model.log_prob(jnp.array([-6.0, 6.0]), d=0) == pytest.approx(by_hand)


HARD = {  # name: (m, condition number of G, factor on G, relative tolerance on x and on ε)
    "condition 1e6": (5, 1e6, 1.0, 1e-13, 1e-9),
    "scale 1e-6": (5, 9.0, 1e-6, 1e-13, 1e-9),
    "scale 1e6": (5, 9.0, 1e6, 1e-13, 1e-9),
    "64 dimensions": (64, 9.0, 1.0, 1e-12, 1e-9),
    "64 dimensions, condition 1e6": (64, 1e6, 1.0, 1e-12, 1e-8),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("make", [linear, leaky_linear])
def test_hard_numerics(name, make):
    m, condition, factor, x_tolerance, eps_tolerance = HARD[name]
    for seed in range(5):
        rng = np.random.default_rng(seed)
        G = factor * random_matrix(rng, m, condition)
        scms = [random_scm(rng, "linear", m, 0.1) for _ in range(2)]
        model = ILD(make(G, factor * jnp.asarray(rng.standard_normal(m))), scms)
        eps, noise = jnp.asarray(rng.standard_normal((2, m)))
        x = predict(model, noise, d_prime=0)
        answer = jax.device_get(ask(model, x, eps))
        assert np.abs(answer["x again"] - x).max() < x_tolerance * np.abs(x).max()
        assert gap(answer["eps again"], np.asarray(eps)) < eps_tolerance
        assert gap(answer["log_prob"], answer["log_prob by autodiff"]) < 1e-9


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_hard_scales_of_the_noise(size):
    scm = LinearSCM(jnp.zeros((2, 2)).at[1, 0].set(0.5), jnp.array([size, -1 / size]), jnp.ones(2))
    model = ILD(linear(jnp.array([[2.0, 1.0], [0.0, 1.0]])), [scm, scm])
    x = predict(model, jnp.array([0.5, -1.5]), d_prime=0)
    answer = ask(model, x, x)
    np.testing.assert_allclose(answer["x again"], x, rtol=1e-13)
    # The small term is added to one of order 1 or 1e6: its digits are lost in x, not by us.
    np.testing.assert_allclose(answer["noise"], [0.5, -1.5], rtol=1e-3)
    np.testing.assert_allclose(answer["log_prob"], answer["log_prob by autodiff"], rtol=1e-9)


def test_sixty_four_dimensions_with_a_nonlinear_scm():
    model = random_ild(0, "leaky", "autoregressive", 64, 2, np.arange(64) % 2 == 0, 0.1)
    eps, x = jnp.asarray(np.random.default_rng(0).standard_normal((2, 64)))
    x_again, eps_again = jax.device_get(round_trips(model, x, eps))
    assert gap(x_again, np.asarray(x)) < 1e-9
    assert gap(eps_again, np.asarray(eps)) < 1e-9


def test_singular_mixing_and_zero_scale_are_refused():
    with pytest.raises(AssumptionError, match="condition number"):
        linear(jnp.ones((2, 2)))
    with pytest.raises(AssumptionError, match="mechanism 0 has scale 0"):
        LinearSCM(jnp.zeros((1, 1)), jnp.zeros(1), jnp.zeros(1))


ONE, TWO = LinearSCM.identity(1), LinearSCM.identity(2)


def test_unknown_domain_names_the_domains():
    model = ILD(linear(jnp.eye(1)), [ONE, ONE], ["siemens", "philips"])
    calls = (
        lambda: model.scm("ge"),
        lambda: model.log_prob(jnp.zeros(1), d="ge"),
        lambda: model.sample(jax.random.key(0), 2, d="ge"),
    )
    for call in calls:
        with pytest.raises(DomainError, match=r"'ge'.*\['siemens', 'philips'\]"):
            call()


def test_domains_are_looked_up_by_name():
    shifted = LinearSCM(jnp.zeros((1, 1)), jnp.ones(1), jnp.ones(1))
    model = ILD(linear(jnp.eye(1)), [ONE, shifted], [7, 0])
    assert model.scm(0) is shifted
    assert (model.m, model.num_domains, model.domains) == (1, 2, (7, 0))
    assert ILD(linear(jnp.eye(1)), [ONE, ONE]).domains == (0, 1)


@pytest.mark.parametrize(
    ("scms", "domains", "message"),
    [
        ([], None, "at least one domain"),
        ([TWO, TWO], ["a", "a"], "name each of the 2 SCMs once"),
        ([TWO, TWO], ["a"], "name each of the 2 SCMs once"),
        ([TWO, ONE], None, r"same shape.*\(1,\), \(2,\)"),
        ([ONE, ONE], None, r"same shape.*\(1,\), \(2,\)"),
    ],
)
def test_what_is_no_model_is_refused(scms, domains, message):
    with pytest.raises(ValueError, match=message):
        ILD(linear(jnp.eye(2)), scms, domains)


@pytest.mark.parametrize("scm", ["linear", "autoregressive"])
def test_a_model_cast_to_float32_stays_there(scm):
    model = random_ild(0, "linear", scm, 3, 2, np.ones(3, bool), 0.3)
    parts = eqx.partition(model, eqx.is_inexact_array)
    model = eqx.combine(jax.tree.map(lambda a: a.astype(jnp.float32), parts[0]), parts[1])
    assert model.dtype == jnp.float32
    x = eqx.filter_eval_shape(model.sample, jax.random.key(0), 1, d=0)
    assert (x.shape, x.dtype) == ((1, 3), jnp.float32)
    x = jnp.zeros(3, jnp.float32)
    assert eqx.filter_eval_shape(counterfactual, model, x, d=0, d_prime=1).dtype == jnp.float32
    assert eqx.filter_eval_shape(model.log_prob, x, d=1).dtype == jnp.float32


def test_names_from_numpy_become_plain():
    names = np.array(["here", "there"])
    model = ILD(linear(jnp.eye(1)), [LinearSCM.identity(1)] * 2, list(names))
    assert model.domains == ("here", "there")
    assert all(type(d) is str for d in model.domains)
    assert model.scm(names[1]) is model.scms[1]
