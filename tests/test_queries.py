"""The question on a model small enough to work out by hand."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.errors import DomainError
from elsewhere.mixing import linear
from elsewhere.model import ILD
from elsewhere.queries import abduct, counterfactual, predict
from elsewhere.scm import LinearSCM

# x = 2z; at home z_1 = ε_1, z_2 = z_1 + ε_2; away z_2 = -z_1 + 3 ε_2 + 1.
HOME = LinearSCM(jnp.array([[0.0, 0.0], [1.0, 0.0]]), jnp.ones(2), jnp.zeros(2))
AWAY = LinearSCM(jnp.array([[0.0, 0.0], [-1.0, 0.0]]), jnp.array([1.0, 3.0]), jnp.array([0.0, 1.0]))
MODEL = ILD(linear(2.0 * jnp.eye(2)), [HOME, AWAY], ["home", "away"])
X = jnp.array([2.0, 6.0])


def test_by_hand():
    assert abduct(MODEL, X, d="home").tolist() == [1.0, 2.0]
    assert predict(MODEL, jnp.array([1.0, 2.0]), d_prime="away").tolist() == [2.0, 12.0]
    assert counterfactual(MODEL, X, d="home", d_prime="away").tolist() == [2.0, 12.0]


def test_direction_matters():
    there = counterfactual(MODEL, X, d="home", d_prime="away")
    back = counterfactual(MODEL, X, d="away", d_prime="home")
    assert not np.allclose(there, back)


def test_vmap_over_rows_and_a_batch_of_one():
    ask = eqx.filter_jit(jax.vmap(lambda x: counterfactual(MODEL, x, d="home", d_prime="away")))
    rows = jnp.stack([X, -X, jnp.zeros(2)])
    assert ask(rows).tolist() == [[2.0, 12.0], [-2.0, -8.0], [0.0, 2.0]]
    assert ask(rows[:1]).tolist() == [[2.0, 12.0]]


def test_the_answer_is_differentiable_in_the_point():
    slope = jax.jacobian(lambda x: counterfactual(MODEL, x, d="home", d_prime="away"))(X)
    np.testing.assert_allclose(slope, [[1.0, 0.0], [-4.0, 3.0]])


@pytest.mark.parametrize("asked", [{"d": "mars", "d_prime": "home"}, {"d": "home", "d_prime": 1}])
def test_unknown_domain(asked):
    with pytest.raises(DomainError, match=r"\['home', 'away'\]"):
        counterfactual(MODEL, X, **asked)
