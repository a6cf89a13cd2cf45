"""Fit x = A LeakyReLU(z) + b, z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j, to several domains."""

from typing import Literal, get_args

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.fitting.auto import choose_k, path_notes, sparsity_path
from elsewhere.fitting.candidates import candidate_orderings, least_loss, suspicious_loss
from elsewhere.fitting.choose import choose
from elsewhere.fitting.data import (
    Data,
    check_fittable,
    check_valid,
    hold_out,
    named_tables,
    shuffled,
    size_notes,
)
from elsewhere.fitting.linear_axes import find_linear_axes
from elsewhere.fitting.options import DEFAULT, Options
from elsewhere.fitting.problem import Problem, Progress, make_problem
from elsewhere.fitting.refit import polish, refit, share_scales, sharing_loss
from elsewhere.fitting.report import make_result, search_notes
from elsewhere.fitting.result import FitResult, PathPoint
from elsewhere.fitting.search import Found, find_axes

Mixing = Literal["leaky", "linear"]


def fit(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: int | Literal["auto"] | None,
    mixing: Mixing = "leaky",
    slope: float = 0.5,
    valid: Data | None = None,
    options: Options = DEFAULT,
    progress: Progress | None = None,
) -> FitResult:
    """argmax Σ_d mean log p_d(x) over x = A LeakyReLU(z) + b and linear SCMs differing in k rows.

    Given the axes of z, every mechanism has its best value in closed form, so only the axes are
    searched for, in whitened coordinates; the models returned are in the data's own units. All
    domains weigh the same, whatever their sizes. The models' intervened mechanisms are where the
    best topological order has them: `elsewhere.theory.canonical_form` moves them last.

    Args:
        key: of the starts, the moves and the rows held out.
        data: a mapping from each domain's name to its rows [n_d, m], or an array [D, n, m].
        k: how many mechanisms may differ between domains; "auto" finds the smallest that explains
            the held-out rows as well as Dense; None is Dense.
        mixing: "leaky", or "linear" for x = A z + b, where the kinks do not fix the axes.
        slope: of LeakyReLU where z < 0.
        valid: rows for the likelihoods reported, like `data`; by default a tenth of the data, at
            most 10,000 rows a domain, is held out for that.
        options: how hard to search.
        progress: called with the fraction done and a line of text.
    """
    _check_choices(mixing, slope)
    searching, shuffling = (generator(part) for part in jax.random.split(key))
    tables = named_tables("data", data)
    check_fittable(tables)
    _check_k(k, next(iter(tables.values())).shape[1])
    tables = shuffled(shuffling, tables)
    if valid is None:
        tables, held = hold_out(tables)
    else:
        held = named_tables("valid", valid)
        check_valid(held, tables)
    bend = 1.0 if mixing == "linear" else slope
    problem = make_problem(tables, held, bend, options, progress)
    return _solve(searching, problem, k, size_notes(tables))


def _solve(
    rng: np.random.Generator, problem: Problem, k: int | str | None, notes: tuple[str, ...]
) -> FitResult:
    found, path = _search(rng, problem, k)
    allowed = choose_k(path) if k == "auto" else problem.m if k is None else int(k)
    here = found[allowed]
    orderings = candidate_orderings(problem, here.axes, allowed)
    problem.progress(0.65, f"{len(orderings)} candidates")
    own = refit(problem, here.axes, orderings)
    problem.progress(0.8, "refitted; sharing noise scales")
    choices = choose(problem, own, share_scales(problem, own))
    problem.progress(0.9, "polishing the preferred model")
    best = polish(problem, choices[0].fitted)
    notes += search_notes(problem, sharing_loss(problem, here.axes, own), allowed, dense=k is None)
    notes += tuple(path_notes(problem, path, here, allowed)) if path else ()
    problem.progress(1.0, "done")
    return make_result(problem, best, choices, None if k is None else allowed, notes, path)


def _search(
    rng: np.random.Generator, problem: Problem, k: int | str | None
) -> tuple[dict[int, Found], tuple[PathPoint, ...]]:
    """The axes for each k that is asked for, and for "auto" the path over all k."""
    asked = range(problem.m + 1) if k == "auto" else [problem.m if k is None else int(k)]
    if problem.slope == 1:
        found = {j: find_linear_axes(rng, problem, j) for j in asked}
    elif k == "auto":
        found = dict.fromkeys(asked, find_axes(rng, problem, lambda axes: True, patience=3))
    else:
        (j,) = asked
        limit = suspicious_loss(problem, j)
        found = {j: find_axes(rng, problem, lambda axes: least_loss(problem, axes, j) < limit)}
    return found, sparsity_path(problem, lambda j: found[j].axes) if k == "auto" else ()


def _check_choices(mixing: str, slope: float) -> None:
    if mixing not in get_args(Mixing):
        raise ValueError(f"mixing must be one of {get_args(Mixing)}; got {mixing!r}.")
    if mixing == "leaky" and slope == 1:
        raise ValueError("slope must not be 1, which leaves no kink; use mixing='linear' for that.")


def _check_k(k: int | str | None, m: int) -> None:
    if k is None or k == "auto":
        return
    if not isinstance(k, int) or not 0 <= k <= m:
        raise ValueError(
            f"k must be in 0..{m}, for the data have {m} columns, or 'auto', or None for Dense; "
            f"got {k!r}."
        )
