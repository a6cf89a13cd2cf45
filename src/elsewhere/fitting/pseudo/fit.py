"""Pseudo-invertible models by the ELBO, from several starts at once."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.fitting.gradient.fit import prepare
from elsewhere.fitting.gradient.model import (
    Parameters,
    Statics,
    near_identity,
    scm_static,
    sharing,
)
from elsewhere.fitting.gradient.restarts import Progress, Schedule, race, restart, stack
from elsewhere.fitting.gradient.stacked_rows import stack_cycled
from elsewhere.fitting.gradient.steps import Ascent, wrap_rows
from elsewhere.fitting.profile.likelihood import mean_over_domains, standard_error
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.pseudo.model import Coder, PseudoILD
from elsewhere.fitting.pseudo.objective import Given, assembled, elbo, judge, row_elbos
from elsewhere.fitting.split import Data, Named

DRAWS = 8  # of the noise of every held-out row, for the bound reported

_bounds = eqx.filter_jit(row_elbos)


@dataclass(frozen=True)
class PseudoResult:
    """A pseudo-invertible model, its k and its bound on held-out rows, in nats per row."""

    model: PseudoILD
    k: int | None
    elbo: float
    standard_error: float


def fit_pseudo(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: int | None,
    latent: int,
    width: int = 64,
    valid: Data | None = None,
    restarts: int = 1,
    steps: int = 4_000,
    batch: int = 200,
    learning_rate: float = 5e-3,
    patience: int = 30,
    progress: Progress | None = None,
) -> PseudoResult:
    """max E_q log p(x | ε) − KL(q(ε | x, d) ‖ N(0, I)) over encoder, decoder and linear SCMs.

    Args:
        key: of everything that is drawn.
        data: one table [n_d, p] a domain, by name or in order.
        k: how many of the last mechanisms may differ between domains; None for all (Dense).
        latent: how many latents; at most as many as there are columns is meant.
        width: of the hidden layers.
        valid: held-out rows; a tenth of `data` when left out.
        restarts: starts run at once; after each quarter of the steps the worse half is dropped.
        steps: of Adam, in whole chunks of 100.
        batch: rows of each domain in a step.
        learning_rate: the peak of a cosine after a short ramp.
        patience: chunks without a better bound on held-out rows before stopping.
        progress: called with (step, steps, best held-out bound) after every chunk.
    """
    if latent < 1 or (k is not None and not 0 <= k <= latent):
        raise ValueError(f"k must be in 0..latent and latent at least 1; got {k=}, {latent=}.")
    train, held, white = prepare(key, data, valid)
    white = replace(white, matrix=np.eye(len(white.unit)))  # whitened, all directions count alike
    x, look = stack_cycled(train, white), stack_cycled(held, white)
    batch = min(batch, x.shape[-1])
    fixed = _statics(x.shape[0], latent, width)
    share = sharing(latent, len(train), k, "dense" if k is None else "canonical")
    given = Given(fixed, share, jax.random.fold_in(key, 2))
    limits = jnp.asarray(5.0), jnp.asarray(0.0)
    ascent = Ascent(elbo, judge, given, wrap_rows(x, batch), look, *limits, batch)
    keys = jax.random.split(jax.random.fold_in(key, 1), restarts)
    starts = stack([_initial(a, x.shape[0], latent, width, len(train)) for a in keys])
    runners = race(starts, ascent, Schedule(steps, learning_rate, patience, 1), progress)
    best = restart(runners.state, int(runners.values().argmax()))
    return _result(best, given, white, held, look, k)


def _initial(
    key: PRNGKeyArray, columns: int, latent: int, width: int, num_domains: int
) -> Parameters:
    first, second = jax.random.split(key)
    coder = eqx.filter(Coder(first, columns, latent, width), eqx.is_array)
    near = jax.vmap(lambda a: near_identity(a, "linear", latent, 0.1))
    shared = near_identity(second, "linear", latent, 0.0)
    return Parameters(coder, shared, near(jax.random.split(second, num_domains)))


@cache
def _statics(columns: int, latent: int, width: int) -> Statics:
    coder = Coder(jax.random.key(0, impl="unsafe_rbg"), columns, latent, width)
    return eqx.partition(coder, eqx.is_array)[1], scm_static("linear", latent)


def _result(
    params: Parameters,
    given: Given,
    white: Whitening,
    held: Named,
    look: Float[Array, "p D n"],
    k: int | None,
) -> PseudoResult:
    coder, stacked = assembled(params, given)
    domains: tuple[Hashable, ...] = tuple(held)
    arrays, static = eqx.partition(stacked, eqx.is_array)
    pick = lambda d: eqx.combine(jax.tree.map(lambda a: a[d], arrays), static)  # noqa: E731
    model = PseudoILD(coder, tuple(pick(d) for d in range(len(domains))), domains, white)  # type: ignore[arg-type]
    bounds = np.mean([_bounds(params, given, look, jnp.asarray(i)) for i in range(DRAWS)], axis=0)
    rows = [mine[: len(table)] for mine, table in zip(bounds, held.values(), strict=True)]
    value = mean_over_domains(rows) + white.log_det
    return PseudoResult(model, k, value, standard_error(rows))
