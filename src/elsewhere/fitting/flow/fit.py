"""Flows that flatten x, and the search for axes and orders in the flat coordinates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast, final

import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import PRNGKeyArray

from elsewhere.bijections import compose
from elsewhere.fitting.behind import behind
from elsewhere.fitting.dense_at_least import ahead_of, dense_at_least, likeliest
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.flow.bend import Bender, Bending, Effort
from elsewhere.fitting.flow.start import FlowName, axes_of, flow_maker, kinds_of
from elsewhere.fitting.gradient.restarts import SHORT, short_notes
from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.options import DEFAULT, Options, brief
from elsewhere.fitting.profile.read_k import reading_k
from elsewhere.fitting.profile.whitening import whitening
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.run import run_engine
from elsewhere.fitting.split import Named, Split, check_fittable
from elsewhere.model import ILD

Search = Callable[[Named, Named, int | None, Options], FitResult]


@final
@dataclass(frozen=True)
class Flow(Engine):
    """x = B c_n∘…∘c_1(A LeakyReLU(z) + a) + b by maximum likelihood, in turns with `Profile`.

    A leaky-linear Dense fit starts a Dense flow, whose couplings flatten x; in the flat coordinates
    `Profile` finds axes and orders that share all but k mechanisms; with these shared the flow goes
    on, and `Profile` has the last word. Given the flow and the axes, every mechanism has its best
    value in closed form, so the gradient moves nothing else.

    Attributes:
        mixing: affine ("real_nvp") or spline couplings.
        couplings: how many.
        width: of each coupling's hidden layer.
        slope: of the rectifier where z < 0; 1 for none.
        options: of the searches by `Profile`.
        effort: of the gradient steps.
    """

    mixing: FlowName = "real_nvp"
    couplings: int = 4
    width: int = 100
    slope: float = 0.5
    options: Options = DEFAULT
    effort: Effort = Effort()

    def check(self, tables: Named) -> None:
        """As for `Profile`."""
        check_fittable(tables)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """The Dense flow does not depend on k and is bent once for all."""
        fit = partial(self._fit_numbers, key, rows)
        return reading_k(fit, key, rows, ks, progress, self._profile(self.options))

    def _fit_numbers(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[int | None], progress: Progress
    ) -> dict[int | None, FitResult]:
        white = whitening(list(rows.train.values()))
        tables, kept = ({d: white(x) for d, x in t.items()} for t in (rows.train, rows.held))
        maker = flow_maker(self.mixing, self.couplings, self.width)
        parts = [(i / (1 + len(ks)), (i + 1) / (1 + len(ks))) for i in range(1 + len(ks))]
        bender = Bender(
            tables, kept, maker, self.slope, self.effort, part_of(progress, *parts[0], "Dense")
        )
        search = partial(self._search, key)
        warm = _ild(search(tables, kept, None, brief(self.options)))
        dense = bender.bend(maker(key, warm.m), axes_of(warm), np.full(warm.m, OWN))
        outward = white.bijection()
        found: dict[int | None, FitResult] = {}
        bends: dict[int | None, Bending] = {None: dense}
        for k, part in zip(ks, parts[1:], strict=True):
            told = bender._replace(progress=part_of(progress, *part, f"k = {k}"))
            flat, bends[k] = _solve(told, search, self.options, dense, k)
            found[k] = self._in_units(flat, bends[k], dense, outward, rows.held)
        if None in found:
            found[None] = self._contained(bender, search, found, bends, outward, rows.held)
        return found

    def _in_units(
        self,
        flat: FitResult,
        bending: Bending,
        dense: Bending,
        outward: AbstractBijection,
        held: Named,
    ) -> FitResult:
        solved = behind(flat, compose(outward, bending.outer), held)
        notes = flow_notes(solved.k, bending, dense, self.effort.steps)
        return replace(solved, engine=self, notes=(*solved.notes, *notes))

    def _contained(
        self,
        bender: Bender,
        search: Search,
        found: dict[int | None, FitResult],
        bends: dict[int | None, Bending],
        outward: AbstractBijection,
        held: Named,
    ) -> FitResult:
        """Dense; where a sub-model is ahead, from there on, and never clearly below it."""
        dense, others = found[None], [one for k, one in found.items() if k is not None]
        best = ahead_of(dense, others)
        if best is None:
            return dense
        start = bends[best.k].outer
        model = _ild(search(*bender.flat(start), None, brief(self.options)))
        again = bender.bend(start, axes_of(model), np.full(model.m, OWN))
        flat = search(*bender.flat(again.outer), None, self.options)
        solved = self._in_units(flat, again, again, outward, held)
        return dense_at_least(likeliest([dense, solved]), others)

    def _search(
        self, key: PRNGKeyArray, train: Named, held: Named, k: int | None, options: Options
    ) -> FitResult:
        return run_engine(self._profile(options), key, train, [k], held)[k]

    def _profile(self, options: Options) -> Profile:
        if self.slope == 1:
            return Profile("linear", options=options)
        return Profile("leaky", self.slope, options)


def _solve(
    bender: Bender, search: Search, options: Options, dense: Bending, k: int | None
) -> tuple[FitResult, Bending]:
    """(models of the flat rows, the flow that flattens)."""
    bending = dense
    if k is not None:
        model = _ild(search(*bender.flat(dense.outer), k, brief(options)))
        bending = bender.bend(dense.outer, axes_of(model), kinds_of(model, k))
    return search(*bender.flat(bending.outer), k, options), bending


def flow_notes(k: int | None, bending: Bending, dense: Bending, steps: int) -> tuple[str, ...]:
    """What says that a flow stopped short: late gains, or less than Dense from where it started."""
    notes, below = short_notes("The flow", bending.late_gain, steps), dense.value - bending.value
    if k is None or below <= SHORT:
        return notes
    lacks = (
        f"The flow with k = {k} is {below:.3f} nats per row below the Dense one that it began "
        "with: more mechanisms differ, or it stopped short."
    )
    return (*notes, lacks)


def _ild(found: FitResult) -> ILD:
    return cast(ILD, found.model)
