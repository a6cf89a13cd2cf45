"""Fit x = A LeakyReLU(z) + b, z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j, to several domains."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.fitting.engine import K, check_k
from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.profile.auto import choose_k, path_notes, sparsity_path
from elsewhere.fitting.profile.axes.linear import find_linear_axes
from elsewhere.fitting.profile.axes.search import Found, find_axes, go_on
from elsewhere.fitting.profile.axes.sharing import find_sharing_axes, shares
from elsewhere.fitting.profile.axes.slope import with_best_slope
from elsewhere.fitting.profile.candidates import candidate_orderings, saved_parameters
from elsewhere.fitting.profile.choose import choose
from elsewhere.fitting.profile.likelihood import row_log_likelihoods
from elsewhere.fitting.profile.problem import Problem, make_problem
from elsewhere.fitting.profile.refit import polish, refit, refit_sharing, share_scales, sharing_loss
from elsewhere.fitting.profile.report import make_result, search_notes, tie_notes
from elsewhere.fitting.profile.turned import with_turned
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import FitResult, PathPoint
from elsewhere.fitting.split import Split, size_notes

if TYPE_CHECKING:
    from elsewhere.fitting.profile.engine import Profile


def begin(
    engine: "Profile",
    key: PRNGKeyArray,
    rows: Split,
    ks: Sequence[K],
    progress: Progress,
    learn_slope: bool,
) -> "Begun":
    """As `Profile.begin` says."""
    for k in ks:
        check_k(k, rows.m)
    searching = generator(jax.random.split(key)[0])
    bend = 1.0 if engine.mixing == "linear" else engine.slope
    problem = make_problem(rows.train, rows.held, bend, engine.options, progress)
    alone = {"auto"} if engine.mixing == "leaky" else {"auto", *ks}  # which share no search
    search = cache(lambda k: _search(deepcopy(searching), problem, k == "auto", learn_slope))
    searches: dict[K, _Search] = {k: search(k if k in alone else None) for k in ks}
    return Begun(engine, problem, searches, size_notes(rows.train))


@dataclass(frozen=True)
class Begun:
    """A search whose axes are those of Dense: from here on, k matters."""

    engine: "Profile"
    problem: Problem
    searches: Mapping[K, "_Search"]
    notes: tuple[str, ...]

    def solve(self, k: K) -> FitResult:
        """The result for k."""
        search = self.searches[k]
        slope = search.problem.slope if self.engine.mixing == "leaky" else self.engine.slope
        found = _solve(search.problem, k, search, self.notes)
        return replace(found, engine=replace(self.engine, slope=slope))

    def dense_rows(self, k: K) -> list[Float[np.ndarray, " _"]]:
        """log p_d of every held-out row where every mechanism is each domain's own."""
        problem, axes = self.searches[k].problem, self.searches[k].dense(self.problem.m).axes
        mechanisms = problem.mechanisms(axes, np.full(problem.m, OWN))
        rows = row_log_likelihoods(axes, mechanisms, problem.valid, problem.slope)
        return [values + problem.white.log_det for values in rows]

    @property
    def chance(self) -> float:
        """Nats per held-out row that Dense may lose to sharing, for it follows its rows' noise."""
        return saved_parameters(self.problem, 0) / self.problem.effective_rows


class _Search(NamedTuple):
    """The axes for k changed mechanisms: as Dense has them, found for sharing, or tried.

    What is found for sharing does not depend on which other numbers were asked for before.
    """

    problem: Problem
    dense: Callable[[int], Found]
    sharing: Callable[[int], Found]
    tried: Callable[[int], Found]


def _search(rng: np.random.Generator, problem: Problem, auto: bool, learn: bool) -> _Search:
    if problem.slope == 1:
        linear = cache(lambda j: find_linear_axes(rng, problem, j))
        return _Search(problem, linear, linear, linear)
    found = find_axes(rng, problem, patience=1 if auto else 0)
    if auto and learn:
        problem, found = with_best_slope(problem, found)

    @cache
    def resumed() -> tuple[Found, np.random.Generator]:
        return go_on(mine := deepcopy(rng), problem, found), mine

    def thorough(j: int) -> Found:
        start, mine = (found, rng) if shares(problem, found, j) else resumed()
        return find_sharing_axes(
            deepcopy(mine), problem, j, start, rounds=problem.options.rounds, patience=4
        )

    tried = cache(lambda j: find_sharing_axes(rng, problem, j, found, rounds=4, patience=2))
    return _Search(problem, lambda j: found, cache(thorough), tried)


def _solve(problem: Problem, k: K, search: _Search, notes: tuple[str, ...]) -> FitResult:
    path = _path(problem, search) if k == "auto" else ()
    allowed = choose_k(path) if k == "auto" else problem.m if k is None else k
    here = search.dense(allowed) if k is None else search.sharing(allowed)
    axes = here.axes if k is None else refit_sharing(problem, here.axes, allowed)
    orderings = candidate_orderings(problem, axes, allowed)
    problem.progress(0.65, f"{len(orderings)} candidates")
    own = refit(problem, [axes] * len(orderings), orderings)
    problem.progress(0.8, "refitted; sharing noise scales")
    choices = choose(problem, *with_turned(problem, own, share_scales(problem, own)))
    problem.progress(0.9, "polishing the preferred model")
    best = polish(problem, choices[0].fitted)
    notes += search_notes(problem, sharing_loss(problem, here.dense, own), allowed, dense=k is None)
    notes += () if k is None else tie_notes(choices)
    notes += tuple(path_notes(problem, path, here, allowed)) if path else ()
    problem.progress(1.0, "done")
    return make_result(problem, best, choices, None if k is None else allowed, notes, path)


def _path(problem: Problem, search: _Search) -> tuple[PathPoint, ...]:
    return sparsity_path(problem, lambda j: search.dense(j).axes, lambda j: search.tried(j).axes)
