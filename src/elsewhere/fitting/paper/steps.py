"""The steps of the paper's recipe, compiled a hundred at a time for many data sets at once."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from elsewhere.fitting.paper.model import (
    PaperParameters,
    log_likelihood,
    paper_start,
    training_loss,
)

LOOK = 100  # steps between two looks at the validation rows, as in the paper
_ADAM = optax.adam(1e-3, b1=0.5, b2=0.999)


class RecipeState(NamedTuple):
    """Where every fit is, and its best on the validation rows; leaves lead with the fit."""

    params: PaperParameters
    moments: PyTree
    best: PaperParameters
    best_value: Float[Array, " B"]


def recipe_start(keys: Key[Array, " B"], m: int, num_domains: int) -> RecipeState:
    """The state before the first step of every fit."""
    starts = [paper_start(a, m, num_domains) for a in keys]  # each as it would be alone
    params = jax.tree.map(lambda *leaves: jnp.stack(leaves), *starts)
    return RecipeState(params, jax.vmap(_ADAM.init)(params), params, jnp.full(len(keys), -jnp.inf))


@jax.jit
def run_recipe(
    state: RecipeState,
    rows: Bool[Array, " m"],
    blocks: Float[Array, "B blocks m D batch"],
    valid: Float[Array, "B m D v"],
    first: Int[Array, ""],
) -> RecipeState:
    """100 steps of every fit on consecutive blocks of its rows, then a look at its validation."""

    def one(state: RecipeState, blocks: Array, valid: Array) -> RecipeState:
        def step(carry: PyTree, t: Array) -> tuple[PyTree, None]:
            params, moments = carry
            gradient = jax.grad(training_loss)(params, rows, blocks[t % len(blocks)])
            updates, moments = _ADAM.update(gradient, moments)
            return (optax.apply_updates(params, updates), moments), None

        times = first + jnp.arange(LOOK)
        (params, moments), _ = jax.lax.scan(step, (state.params, state.moments), times)
        value = log_likelihood(params, rows, valid)
        better = value > state.best_value
        best = jax.tree.map(lambda a, b: jnp.where(better, a, b), params, state.best)
        value = jnp.where(better | jnp.isnan(value), value, state.best_value)
        return RecipeState(params, moments, best, value)  # type: ignore[arg-type]

    return jax.vmap(one)(state, blocks, valid)
