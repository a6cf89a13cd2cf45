"""Descent against closed forms: with a constant gradient Adam moves by its rate each step."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.images.descent import TrainingError, descend

KEY, ROWS = jax.random.key(0), (jnp.ones(8),)


def slope(model, now, rows):
    return model * rows.mean()


def nowhere(model, now, rows):
    return model * jnp.nan


def end(loss=slope, **pace):
    return float(descend(KEY, jnp.zeros(()), loss, ROWS, batch=4, **pace))


@pytest.mark.parametrize("momentum", [0.5, 0.9])
def test_a_rate_that_stays_moves_by_the_same_each_step(momentum):
    assert end(steps=40, rate=0.1, falling=False, momentum=momentum) == pytest.approx(-4, rel=1e-4)


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
