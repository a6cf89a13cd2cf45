"""Maximum likelihood by gradient steps, for any mixing with an exact likelihood."""

from collections.abc import Hashable, Mapping, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from elsewhere.bijections import compose
from elsewhere.draws import generator
from elsewhere.fitting.engine import FitResult
from elsewhere.fitting.gradient.choose import choose
from elsewhere.fitting.gradient.mixing import MixingMaker, MixingName, exactly, mixing_maker
from elsewhere.fitting.gradient.model import (
    Parameters,
    ScmName,
    assemble,
    initial,
    mean_log_prob,
    sharing,
    statics,
)
from elsewhere.fitting.gradient.restarts import Progress, Race, Schedule, race, restart, stack
from elsewhere.fitting.gradient.stacked_rows import stack_cycled
from elsewhere.fitting.gradient.steps import Ascent, wrap_rows
from elsewhere.fitting.profile.whitening import Whitening, whitening
from elsewhere.fitting.split import (
    Data,
    Named,
    check_fittable,
    check_valid,
    hold_out,
    named_tables,
    shuffled,
)
from elsewhere.model import ILD
from elsewhere.scm import Pattern

LOOK_ROWS = 2_000  # validation rows of each domain looked at after every chunk; the end uses all


def fit_gradient(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: int | None,
    mixing: MixingMaker | MixingName = "real_nvp",
    mixing_settings: Mapping[str, int | float] | None = None,
    scm: ScmName = "linear",
    pattern: Pattern = "canonical",
    valid: Data | None = None,
    restarts: int = 4,
    finalists: int = 2,
    steps: int = 6_000,
    batch: int = 500,
    learning_rate: float = 3e-3,
    weight_decay: float = 0.0,
    clip: float = 5.0,
    patience: int = 30,
    spread: float = 0.1,
    progress: Progress | None = None,
) -> FitResult:
    """max over (g, f_1, …, f_D) of (1/D) Σ_d mean_i log p_d(x_di), by Adam from many starts.

    Args:
        key: determines the split, the order of the rows and the starts.
        data: one table [n_d, m] a domain, by name or in order.
        k: how many of the last mechanisms may differ between domains; None for all (Dense).
        mixing: a name, or a function (key, m) → bijection whose arrays are learnt. Pass the same
            function object again and nothing is compiled again.
        mixing_settings: of a named mixing's constructor, e.g. {"couplings": 8, "width": 64}.
        scm: "linear" or "autoregressive" mechanisms, increasing in their own noise.
        pattern: which mechanisms are shared; k=None means "dense".
        valid: held-out rows; a tenth of `data` when left out.
        restarts: starts run at once; after each quarter of the steps the worse half is dropped.
        finalists: how many starts halving leaves at least.
        steps: of Adam, in whole chunks of 100.
        batch: rows of each domain in a step.
        learning_rate: the peak of a cosine after a short ramp.
        weight_decay: decoupled from the gradient, on every parameter.
        clip: the largest norm of a gradient.
        patience: chunks without a better validation likelihood before stopping.
        spread: how far from the identity the mechanisms start.
        progress: called with (step, steps, best validation log-likelihood) after every chunk.
    """
    if min(restarts, finalists, steps, batch) < 1:
        raise ValueError(
            "restarts, finalists, steps and batch must be at least 1; got "
            f"{restarts=}, {finalists=}, {steps=}, {batch=}."
        )
    train, held, white = prepare(key, data, valid)
    m, maker = len(white.centre), mixing_maker(mixing, **(mixing_settings or {}))
    share = sharing(m, len(train), k, "dense" if k is None else pattern)
    x, look = stack_cycled(train, white), stack_cycled(held, white)[..., :LOOK_ROWS]
    batch = min(batch, x.shape[-1])
    limit, decay = jnp.asarray(clip, float), jnp.asarray(weight_decay, float)
    fixed = statics(maker, scm, m)
    given = (fixed, share)
    rows = (wrap_rows(x, batch), look, limit, decay, batch)
    ascent = Ascent(mean_log_prob, mean_log_prob, given, *rows)
    keys = jax.random.split(jax.random.fold_in(key, 1), restarts)
    starts = stack([initial(a, maker, scm, m, len(train), spread) for a in keys])
    schedule = Schedule(steps, learning_rate, patience, finalists)
    runners = race(starts, ascent, schedule, progress)
    return result_of(runners, ascent, white, held, k)


def prepare(key: PRNGKeyArray, data: Data, valid: Data | None) -> tuple[Named, Named, Whitening]:
    """(rows to fit, rows held out, whitening) of checked data, shuffled."""
    train = shuffled(generator(key), named_tables("data", data))
    check_fittable(train)
    if valid is None:
        train, held = hold_out(train)
    else:
        held = named_tables("valid", valid)
        check_valid(held, train)
    return train, {d: held[d] for d in train}, whitening(list(train.values()))


def result_of(
    runners: Race, ascent: Ascent, white: Whitening, held: Named, k: int | None
) -> FitResult:
    """The restarts as models in the data's own units, compared on the held-out rows."""
    best = [restart(runners.state, i) for i in range(len(runners.numbers))]
    models = [_model(params, ascent, white, list(held)) for params in best]
    rows = np.flatnonzero(np.asarray(ascent.given[1].rows).any(0)).tolist()
    labels = [f"mechanisms {rows} differ between domains; restart {i}" for i in runners.numbers]
    notes = [f"restart {r} diverged at step {s}; dropped" for r, s in runners.diverged.items()]
    return choose(models, labels, held, k, notes)


def _model(
    params: Parameters, ascent: Ascent, white: Whitening, domains: Sequence[Hashable]
) -> ILD:
    """g = whitening⁻¹ ∘ fitted mixing, and each f_d on its own."""
    g, f = assemble(params, *ascent.given)
    arrays, static = eqx.partition(f, eqx.is_array)
    scms = [
        eqx.combine(jax.tree.map(lambda a, d=d: a[d], arrays), static) for d in range(len(domains))
    ]
    return ILD(compose(white.bijection(), exactly(g)), scms, domains)
