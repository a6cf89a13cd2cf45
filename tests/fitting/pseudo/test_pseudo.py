"""Encoders and decoders with a linear SCM for each domain, fitted by the ELBO."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from elsewhere.fitting import Pseudo, fit
from elsewhere.fitting.gradient.model import sharing
from elsewhere.fitting.gradient.restarts import stack
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.progress import silent
from elsewhere.fitting.pseudo import PseudoILD
from elsewhere.fitting.pseudo.fit import _statics
from elsewhere.fitting.pseudo.model import Coder
from elsewhere.fitting.pseudo.objective import PseudoConstants, row_elbos
from elsewhere.fitting.pseudo.start import random_start, sparse_start
from elsewhere.fitting.split import Split
from elsewhere.queries import move_all
from elsewhere.scm import LinearSCM

KEY = jax.random.key(0)
MIXING = np.random.default_rng(9).standard_normal((2, 4))
QUICK = {
    "latent": 2,
    "width": 16,
    "steps": 1_000,
    "batch": 100,
    "restarts": 1,
    "learning_rate": 1e-2,
}


def rows(n, seed=0):
    """Four columns driven by two latents, the second of which is shifted in the second domain."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((2, n, 2))
    z[1, :, 1] += 2.0
    return z @ np.random.default_rng(9).standard_normal((2, 4)) + 0.1 * rng.standard_normal(
        (2, n, 4)
    )


@pytest.fixture(scope="module")
def fitted():
    return fit(KEY, rows(1_000), k=1, valid=rows(300, 1), engine=Pseudo(**QUICK))


def test_the_bound_is_below_the_likelihood(fitted):
    covariance = MIXING.T @ MIXING + 0.01 * np.eye(4)
    means = np.stack([np.zeros(2), [0.0, 2.0]]) @ MIXING
    centred = rows(300, 1) - means[:, None]
    exact = multivariate_normal(np.zeros(4), covariance).logpdf(centred).mean()
    assert exact - 3.0 < fitted.log_likelihood < exact
    assert fitted.is_bound


def test_the_bound_is_tight_where_the_posterior_is_exact():
    """A decoder that ignores its input: x ~ N(0, σ²) whatever ε, so that the bound is log p."""
    fixed = _statics(3, 2, 4)
    params = jax.tree.map(jnp.zeros_like, random_start(KEY, 3, 2, 4, 2))
    given = PseudoConstants(fixed, sharing(2, 2, 1, "canonical"), KEY)
    x = jnp.asarray(np.random.default_rng(0).standard_normal((3, 2, 5)))
    bounds = eqx.filter_jit(row_elbos)(params, given, x, jnp.asarray(0))
    np.testing.assert_allclose(
        bounds, multivariate_normal(np.zeros(3)).logpdf(x.transpose(1, 2, 0))
    )


class TestTheSparseStart:
    """Latents of Dense as they might come out: the shift of domain 1 is seen in both of them."""

    @pytest.fixture(scope="class")
    def both(self):
        dense = random_start(KEY, 4, 2, 8, 2)
        shifts = jnp.array([[0.0, 0.0], [3.0, 3.0]])
        plain = (jnp.zeros((2, 2, 2)), jnp.zeros((2, 2)), shifts)
        parts = lambda f: (f.weights, f.scale, f.bias)  # noqa: E731
        dense = dense._replace(specific=eqx.tree_at(parts, dense.specific, plain))
        given = PseudoConstants(_statics(4, 2, 8), sharing(2, 2, None, "dense"), KEY)
        return dense, sparse_start(KEY, dense, given, 1)

    def test_the_mechanism_that_differs_comes_last(self, both):
        specific = both[1].specific
        assert np.array_equal(specific.bias[0, :1], specific.bias[1, :1])
        distance = abs(specific.bias[1, 1] - specific.bias[0, 1]) / np.exp(specific.scale[0, 1])
        assert distance == pytest.approx(18**0.5, rel=0.1)

    def test_it_draws_what_dense_draws(self, both):
        x = jnp.asarray(rows(5)[0].T)
        one, other = (eqx.combine(p.mixing, _statics(4, 2, 8)[0]) for p in both)
        drawn = [coder.decode(coder.posterior(x)[0]) for coder in (one, other)]
        np.testing.assert_allclose(*drawn, atol=1e-9)
        assert not np.allclose(one.posterior(x)[0], other.posterior(x)[0], atol=0.1)


def test_a_start_that_is_behind_at_first_is_followed_to_its_end():
    """Of these two the one that is ahead after 300 steps of 1,000 is behind in the end."""
    train, held = (dict(enumerate(x)) for x in (rows(1_000), rows(300, 1)))
    engine, split = Pseudo(**QUICK), Split(train, held, train)
    starts = [stack([random_start(jax.random.key(i), 4, 2, 16, 2)]) for i in (5, 4)]

    def bound(some):
        return engine._fit_one(KEY, split, 1, silent, some)[1].log_likelihood

    first, second = (bound([one]) for one in starts)
    assert first < second - 1e-3
    assert bound(starts) == pytest.approx(second, abs=1e-9)


def test_few_steps_say_that_they_stopped_short():
    found = fit(KEY, rows(300), k=None, engine=Pseudo(**QUICK | {"steps": 200}))
    (note,) = found.notes
    assert "stopped short" in note
    assert "Allow more than 200 steps" in note


def test_only_the_last_k_mechanisms_differ(fitted):
    one, other = fitted.model.scms
    assert np.array_equal(one.bias[:1], other.bias[:1])
    assert not np.array_equal(one.bias[1:], other.bias[1:])
    assert (one.scale > 0).all()


def test_rows_move_to_the_other_domain(fitted):
    x = rows(200, 2)
    moved = move_all(fitted.model, jnp.asarray(x))
    np.testing.assert_allclose(moved[0, 0], x[0], atol=1e-6)
    before = np.linalg.norm(x[0].mean(0) - x[1].mean(0))
    after = np.linalg.norm(np.asarray(moved[0, 1]).mean(0) - x[1].mean(0))
    assert after < before / 2


def test_without_the_residual_the_answer_lies_on_the_decoders_surface(fitted):
    x = jnp.asarray(rows(50, 3)[0])
    plain = fitted.model.move(x, d=0, d_prime=0, keep_residual=False)
    assert 1e-4 < float(jnp.mean((plain - x) ** 2)) < float(jnp.var(x))


def test_a_model_without_change_moves_nothing_and_one_with_a_shift_does():
    shift = LinearSCM(jnp.zeros((2, 2)), jnp.ones(2), jnp.array([0.0, 3.0]))
    white = Whitening(np.zeros(2), np.array([1.0, 10.0]), np.eye(2))
    scms = (LinearSCM.identity(2), LinearSCM.identity(2), shift)
    model = PseudoILD(Coder(KEY, 2, 2, 4), scms, ("a", "b", "c"), white)
    x = jnp.asarray([[1.0, 5.0]])
    np.testing.assert_allclose(model.move(x, d="a", d_prime="b"), x, atol=1e-9)
    z = model.coder.posterior(jnp.asarray([[1.0], [0.5]]))[0]
    by_hand = model.coder.decode(z + jnp.array([[0.0], [3.0]])) - model.coder.decode(z)
    moved = model.move(x, d="a", d_prime="c") - x
    np.testing.assert_allclose(moved, by_hand.T * jnp.array([1.0, 10.0]), atol=1e-9)


@pytest.mark.parametrize("wrong", [{"k": 3, "latent": 2}, {"k": 1, "latent": 0}])
def test_k_and_latent_are_checked(wrong):
    with pytest.raises(ValueError, match="k must be in 0..latent"):
        fit(KEY, rows(50), k=wrong["k"], engine=Pseudo(latent=wrong["latent"]))
