"""Pseudo-invertible models by the ELBO, from several starts at once."""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.fitting.dense_at_least import ahead_of, dense_at_least, likeliest
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.gradient.model import (
    Parameters,
    Sharing,
    Statics,
    scm_static,
    sharing,
)
from elsewhere.fitting.gradient.restarts import Schedule, race, restart, short_notes, stack
from elsewhere.fitting.gradient.stacked_rows import stack_cycled
from elsewhere.fitting.gradient.steps import Ascent, wrap_rows
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.likelihood import mean_over_domains, standard_error
from elsewhere.fitting.profile.read_k import reading_k
from elsewhere.fitting.profile.whitening import Whitening, whitening
from elsewhere.fitting.progress import Progress, parts_of, silent
from elsewhere.fitting.pseudo.model import Coder, PseudoILD
from elsewhere.fitting.pseudo.objective import PseudoConstants, assembled, elbo, judge, row_elbos
from elsewhere.fitting.pseudo.start import random_start, sparse_start
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import FitError, Named, Split, check_fittable
from elsewhere.scm import tie

DRAWS = 8  # of the noise of every held-out row, for the bound reported

_bounds = eqx.filter_jit(row_elbos)


@final
@dataclass(frozen=True)
class Pseudo(Engine):
    """max E_q log p(x | ε) − KL(q(ε | x, d) ‖ N(0, I)) over encoder, decoder and linear SCMs.

    Attributes:
        latent: how many latents, at most as many as there are columns, which None stands for.
        width: of the hidden layers.
        restarts: random starts run at once; after each quarter of the steps the worse half is
            dropped. Other starts have all their steps: where Dense ended, turned, the bound is
            lowest at first and often highest in the end.
        steps: of Adam, in whole chunks of 100.
        batch: rows of each domain in a step.
        learning_rate: the peak of a cosine after a short ramp.
        patience: chunks without a better bound on held-out rows before stopping.
    """

    latent: int | None = None
    width: int = 64
    restarts: int = 1
    steps: int = 4_000
    batch: int = 200
    learning_rate: float = 5e-3
    patience: int = 30

    def check(self, tables: Named) -> None:
        """As for `Profile`."""
        check_fittable(tables)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """Dense first, for the others start there as well; "auto" is the k of a leaky-linear fit.

        Where Dense ends below a fit that it contains, it starts there once more.
        """

        def fit(numbers: Sequence[int | None], told: Progress) -> dict[int | None, FitResult]:
            sparse = [k for k in numbers if k is not None]
            self._check_sizes(rows, sparse)
            solved: dict[int | None, tuple[Parameters, FitResult]] = {}
            for k, part in parts_of(told, [None, *sparse]):
                solved[k] = self._fit_one(key, rows, k, part, self._starts(key, rows, k, solved))
            found = {k: solved[k][1] for k in numbers}
            if None in found:
                found[None] = self._contained(key, rows, solved)
            return found

        return reading_k(fit, key, rows, ks, progress, Profile())

    def _check_sizes(self, rows: Split, ks: Sequence[int]) -> None:
        latent = self._latent(rows)
        for k in (0, *ks):
            if latent < 1 or not 0 <= k <= latent:
                raise ValueError(
                    f"k must be in 0..latent and latent at least 1; got {k=}, {latent=}."
                )

    def _latent(self, rows: Split) -> int:
        return rows.m if self.latent is None else self.latent

    def _starts(
        self,
        key: PRNGKeyArray,
        rows: Split,
        k: int | None,
        solved: dict[int | None, tuple[Parameters, FitResult]],
    ) -> list[Parameters]:
        """Stacked: random ones, and Dense turned until all but k mechanisms are nearly shared."""
        sizes = (rows.m, self._latent(rows), self.width, len(rows.train))
        keys = jax.random.split(jax.random.fold_in(key, 1), self.restarts)
        starts = [stack([random_start(a, *sizes) for a in keys])]
        if k is None:
            return starts
        dense, given = solved[None][0], self._given(key, rows, None)
        with suppress(FitError):  # latents that are nearly collinear have no axes to turn to
            return [stack([sparse_start(jax.random.fold_in(key, 3), dense, given, k)]), *starts]
        return starts

    def _contained(
        self,
        key: PRNGKeyArray,
        rows: Split,
        solved: dict[int | None, tuple[Parameters, FitResult]],
    ) -> FitResult:
        """Dense, never clearly below a fit that it contains."""
        dense, others = solved[None][1], [one for k, (_, one) in solved.items() if k is not None]
        best = ahead_of(dense, others)
        if best is None:
            return dense
        again = self._fit_one(key, rows, None, silent, [stack([solved[best.k][0]])])[1]
        return dense_at_least(likeliest([dense, again]), others)

    def _fit_one(
        self,
        key: PRNGKeyArray,
        rows: Split,
        k: int | None,
        progress: Progress,
        starts: Sequence[Parameters],
    ) -> tuple[Parameters, FitResult]:
        """(where the best start ended, every domain with all of its mechanisms; the result)."""
        white = whitening(list(rows.train.values()))
        white = replace(white, matrix=np.eye(rows.m))  # whitened, all directions count alike
        x, look = stack_cycled(rows.train, white), stack_cycled(rows.held, white)
        batch = min(self.batch, x.shape[-1])
        given = self._given(key, rows, k)
        limits = jnp.asarray(5.0), jnp.asarray(0.0)
        ascent = Ascent(elbo, judge, given, wrap_rows(x, batch), look, *limits, batch)
        schedule = Schedule(self.steps, self.learning_rate, self.patience, 1)
        parts = zip(starts, parts_of(progress, range(len(starts))), strict=True)
        raced = [race(group, ascent, schedule, told) for group, (_, told) in parts]
        runners = max(raced, key=lambda one: one.values().max())
        best = restart(runners.state, int(runners.values().argmax()))
        found = _result(best, given, white, rows.held, look, k)
        notes = short_notes("The encoder and decoder", runners.late_gain(), self.steps)
        return _untied(best, given.share), replace(found, notes=notes)

    def _given(self, key: PRNGKeyArray, rows: Split, k: int | None) -> PseudoConstants:
        latent = self._latent(rows)
        share = sharing(latent, len(rows.train), k, "dense" if k is None else "canonical")
        return PseudoConstants(
            _statics(rows.m, latent, self.width), share, jax.random.fold_in(key, 2)
        )


def _untied(params: Parameters, share: Sharing) -> Parameters:
    """The same model, its shared mechanisms written out for every domain."""
    specific = jax.vmap(tie, (None, 0, 0))(params.shared, params.specific, share.rows)
    return params._replace(specific=specific)


@cache
def _statics(columns: int, latent: int, width: int) -> Statics:
    coder = Coder(jax.random.key(0, impl="unsafe_rbg"), columns, latent, width)
    return eqx.partition(coder, eqx.is_array)[1], scm_static("linear", latent)


def _result(
    params: Parameters,
    given: PseudoConstants,
    white: Whitening,
    held: Named,
    look: Float[Array, "p D n"],
    k: int | None,
) -> FitResult:
    coder, stacked = assembled(params, given)
    domains: tuple[Hashable, ...] = tuple(held)
    arrays, static = eqx.partition(stacked, eqx.is_array)
    pick = lambda d: eqx.combine(jax.tree.map(lambda a: a[d], arrays), static)  # noqa: E731
    model = PseudoILD(coder, tuple(pick(d) for d in range(len(domains))), domains, white)  # type: ignore[arg-type]
    bounds = np.mean([_bounds(params, given, look, jnp.asarray(i)) for i in range(DRAWS)], axis=0)
    rows = [mine[: len(table)] for mine, table in zip(bounds, held.values(), strict=True)]
    value = mean_over_domains(rows) + white.log_det
    label = f"{len(coder.encoder.layers)}-layer encoder and decoder, {arrays.bias.shape[1]} latents"
    return FitResult(
        candidates=(Candidate(model, value, value, label),),
        k=k,
        log_likelihood=value,
        standard_error=standard_error(rows),
        tolerance=0.0,
        principle="the highest evidence lower bound on held-out rows among the restarts",
        is_bound=True,
    )
