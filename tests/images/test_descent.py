"""Descent against closed forms: with a constant gradient Adam moves by its rate each step."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.images.descent import TrainingError, descend
from elsewhere.images.optimisers import ADAM, MUON, PAPER_ADAM, orthogonal

KEY, ROWS = jax.random.key(0), (jnp.ones(8),)


def slope(model, now, rows):
    return model * rows.mean()


def nowhere(model, now, rows):
    return model * jnp.nan


def end(loss=slope, **pace):
    return float(descend(KEY, jnp.zeros(()), loss, ROWS, batch=4, **pace))


@pytest.mark.parametrize("optimiser", [ADAM, PAPER_ADAM])
def test_a_rate_that_stays_moves_by_the_same_each_step(optimiser):
    pace = {"steps": 40, "rate": 0.1, "falling": False}
    assert end(**pace, optimiser=optimiser) == pytest.approx(-4, rel=1e-4)


def test_a_falling_rate_follows_a_cosine():
    rates = 0.1 * 0.5 * (1 + np.cos(np.pi * np.arange(40) / 40))
    assert end(steps=33, rate=0.1) == pytest.approx(-rates.sum(), rel=1e-4)


def test_a_loss_that_is_not_finite_ends_the_training():
    with pytest.raises(TrainingError, match="nan after 20 steps. Lower the rate"):
        end(nowhere, steps=20, rate=0.1)


@pytest.mark.parametrize("pace", [{"steps": 0, "rate": 0.1}, {"steps": 1, "rate": 0.0}])
def test_paces_must_be_positive(pace):
    with pytest.raises(ValueError, match="must be positive"):
        end(**pace)


@pytest.mark.parametrize("shape", [(4, 3), (3, 5), (2, 2, 3, 4)])
def test_muon_moves_matrices_along_orthogonal_ones(shape):
    """The step of a gradient G is near to U Vᵀ for G = U S Vᵀ: singular values far apart meet."""
    slopes = jax.random.normal(KEY, shape) ** 3
    (step,), _ = MUON.update([slopes], MUON.init([slopes]), [slopes])
    matrix = np.asarray(step if len(shape) == 2 else step.reshape(-1, shape[-1]))
    values = np.linalg.svd(matrix, compute_uv=False)
    before = np.linalg.svd(np.asarray(slopes).reshape(matrix.shape), compute_uv=False)
    assert values.max() / values.min() < 2 < before.max() / before.min()
    assert 0.1 < np.sqrt(np.square(matrix).mean()) < 0.25
    assert float((step * slopes).sum()) > 0


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    scale=st.sampled_from([1e-4, 1.0, 1e12]),
    seed=st.integers(0, 99),
)
def test_orthogonal_matrices_keep_both_bases(shape, scale, seed):
    """U f(S) Vᵀ of U S Vᵀ, f(s) near 1: for all but values that are tiny beside the largest."""
    rng = np.random.default_rng(seed)
    u, v = (np.linalg.qr(rng.standard_normal((n, n)))[0] for n in shape)
    values = rng.uniform(0.05, 1, min(shape))
    matrix = scale * (u[:, : len(values)] * values) @ v[:, : len(values)].T
    inside = u.T @ np.asarray(orthogonal(jnp.asarray(matrix, jnp.float32))) @ v
    found = np.diagonal(inside)
    assert ((found > 0.6) & (found < 1.3)).all()
    np.testing.assert_allclose(inside - _diagonal(found, shape), 0, atol=1e-3)


def _diagonal(values, shape):
    matrix = np.zeros(shape)
    np.fill_diagonal(matrix, values)
    return matrix


def test_no_gradient_is_no_step():
    np.testing.assert_array_equal(orthogonal(jnp.zeros((3, 2))), np.zeros((3, 2)))


def test_it_is_newton_schulz_as_usual_written():
    x = jax.random.normal(KEY, (6, 11), jnp.float64)
    y = x / jnp.linalg.norm(x)
    for _ in range(5):
        square = y @ y.T
        y = 3.4445 * y + (-4.7750 * square + 2.0315 * square @ square) @ y
    np.testing.assert_allclose(orthogonal(x), y, rtol=1e-6)
    np.testing.assert_allclose(orthogonal(x.T), y.T, rtol=1e-6)
