"""Maximum likelihood by gradient steps, for any mixing with an exact likelihood."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray

from elsewhere.bijections import compose
from elsewhere.fitting.engine import Engine, K
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
from elsewhere.fitting.gradient.restarts import Race, Schedule, race, restart, stack
from elsewhere.fitting.gradient.stacked_rows import stack_cycled
from elsewhere.fitting.gradient.steps import Ascent, wrap_rows
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.read_k import reading_k
from elsewhere.fitting.profile.whitening import Whitening, whitening
from elsewhere.fitting.progress import Progress, parts_of
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import Named, Split, check_fittable
from elsewhere.model import ILD
from elsewhere.scm import Pattern

LOOK_ROWS = 2_000  # validation rows of each domain looked at after every chunk; the end uses all


@final
@dataclass(frozen=True)
class Gradient(Engine):
    """max over (g, f_1, …, f_D) of (1/D) Σ_d mean_i log p_d(x_di), by Adam from many starts.

    Attributes:
        mixing: a name, or a function (key, m) → bijection whose arrays are learnt. Pass the same
            function object again and nothing is compiled again.
        mixing_settings: of a named mixing's constructor, e.g. {"couplings": 8, "width": 64}.
        scm: "linear" or "autoregressive" mechanisms, increasing in their own noise.
        pattern: which mechanisms are shared; k=None means "dense".
        restarts: starts run at once; after each quarter of the steps the worse half is dropped.
        finalists: how many starts halving leaves at least.
        steps: of Adam, in whole chunks of 100.
        batch: rows of each domain in a step.
        learning_rate: the peak of a cosine after a short ramp.
        weight_decay: decoupled from the gradient, on every parameter.
        clip: the largest norm of a gradient.
        patience: chunks without a better validation likelihood before stopping.
        spread: how far from the identity the mechanisms start.
    """

    mixing: MixingMaker | MixingName = "real_nvp"
    mixing_settings: Mapping[str, int | float] = field(default_factory=dict)
    scm: ScmName = "linear"
    pattern: Pattern = "canonical"
    restarts: int = 4
    finalists: int = 2
    steps: int = 6_000
    batch: int = 500
    learning_rate: float = 3e-3
    weight_decay: float = 0.0
    clip: float = 5.0
    patience: int = 30
    spread: float = 0.1

    def __post_init__(self) -> None:
        restarts, finalists, steps, batch = self.restarts, self.finalists, self.steps, self.batch
        if min(restarts, finalists, steps, batch) < 1:
            raise ValueError(
                "restarts, finalists, steps and batch must be at least 1; got "
                f"{restarts=}, {finalists=}, {steps=}, {batch=}."
            )

    def check(self, tables: Named) -> None:
        """As for `Profile`: the rows are whitened first."""
        check_fittable(tables)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """Each k by itself; "auto" is the k of a leaky-linear fit."""

        def fit(numbers: Sequence[int | None], told: Progress) -> dict[int | None, FitResult]:
            return {k: self._fit_one(key, rows, k, part) for k, part in parts_of(told, numbers)}

        return reading_k(fit, key, rows, ks, progress, Profile())

    def _fit_one(
        self, key: PRNGKeyArray, rows: Split, k: int | None, progress: Progress
    ) -> FitResult:
        white = whitening(list(rows.train.values()))
        maker = mixing_maker(self.mixing, **self.mixing_settings)
        share = sharing(rows.m, len(rows.train), k, "dense" if k is None else self.pattern)
        ascent = self._ascent(rows, white, (statics(maker, self.scm, rows.m), share))
        keys = jax.random.split(jax.random.fold_in(key, 1), self.restarts)
        sizes = (self.scm, rows.m, len(rows.train), self.spread)
        starts = stack([initial(a, maker, *sizes) for a in keys])
        schedule = Schedule(self.steps, self.learning_rate, self.patience, self.finalists)
        runners = race(starts, ascent, schedule, progress)
        return result_of(runners, ascent, white, rows.held, k)

    def _ascent(self, rows: Split, white: Whitening, given: tuple) -> Ascent:
        x, look = stack_cycled(rows.train, white), stack_cycled(rows.held, white)[..., :LOOK_ROWS]
        batch = min(self.batch, x.shape[-1])
        limit, decay = jnp.asarray(self.clip, float), jnp.asarray(self.weight_decay, float)
        packed = (wrap_rows(x, batch), look, limit, decay, batch)
        return Ascent(mean_log_prob, mean_log_prob, given, *packed)


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
