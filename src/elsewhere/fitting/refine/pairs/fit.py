"""Fit with a few rows that were seen in two domains: they say what unpaired rows cannot."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.errors import DomainError
from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.corrected import corrected
from elsewhere.fitting.pairs import Pairs
from elsewhere.fitting.profile.axes.profile import weighted
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.profile.problem import Problem, make_problem
from elsewhere.fitting.read_back import ild_of
from elsewhere.fitting.refine.pairs.choose import LOOK_ROWS, Belief, believe, best_starts
from elsewhere.fitting.refine.pairs.objective import PackedPairs
from elsewhere.fitting.refine.pairs.paired_rows import PairedRows
from elsewhere.fitting.refine.pairs.result import as_it_was, refined
from elsewhere.fitting.refine.pairs.start import Start, slope_of, starts_of
from elsewhere.fitting.result import Explanation, FitResult
from elsewhere.fitting.split import Data, Named, finite_table, named_tables

FEWEST_PAIRS = 32  # pairs, repeated or not, in any compiled function


def refine_with_pairs(
    key: PRNGKeyArray,
    result: FitResult,
    data: Data,
    pairs: Pairs | Sequence[Pairs],
    *,
    valid: Data | None = None,
    options: Options = DEFAULT,
) -> FitResult:
    """The result of an unpaired fit, its candidates picked and refined by pairs.

    Args:
        key: of the folds.
        result: of a fit with a linear or leaky-linear mixing and linear mechanisms, or by moments.
        data: the rows it was fitted to, by domain.
        pairs: rows seen in two domains; several pairs of domains may be given.
        valid: rows for the likelihoods reported; by default the data themselves.
        options: how hard to search, as for `Profile`.
    """
    if isinstance(result.model, AffineMap):
        return _by_moments(result, result.model, pairs)
    problem = _problem(result, data, valid, options)
    paired = PairedRows(problem, weighted(problem.some(LOOK_ROWS)), *pack_pairs(problem, pairs))
    rng = generator(key)
    starts = starts_of(rng, problem, result)
    candidates = starts[: len(result.candidates)]
    belief = _belief(paired, candidates, starts, rng)
    if belief.noise is None:
        return as_it_was(result, paired, candidates, belief)
    more = replace(paired, rows=weighted(problem.some(options.refit_rows)))
    return refined(result, more, starts, belief, belief.noise)


def _by_moments(result: FitResult, model: AffineMap, pairs: Pairs | Sequence[Pairs]) -> FitResult:
    """The map with what the pairs say it lacks, all pairs of two domains together."""
    given = [pairs] if isinstance(pairs, Pairs) else list(pairs)
    joined: dict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = {}
    for i, j, x, y in (_checked(model.domains, model.m, pair) for pair in given):
        joined.setdefault((min(i, j), max(i, j)), []).append((x, y) if i < j else (y, x))
    names, count = model.domains, sum(len(x) for parts in joined.values() for x, _ in parts)
    if not count:
        raise ValueError("pairs must hold at least one row; got none. Leave pairs out instead.")
    sides = [
        (
            names[i],
            names[j],
            np.concatenate([x for x, _ in parts]),
            np.concatenate([y for _, y in parts]),
        )
        for (i, j), parts in joined.items()
    ]
    better = corrected(model, sides)
    said = Explanation("pairs", f"{count} pairs correct what the map lacks", used=True)
    return replace(
        result,
        candidates=(replace(result.candidates[0], model=better),),
        explanations=(*result.explanations, said),
        simpler=None,
        doubt=0.0,
    )


def pack_pairs(problem: Problem, pairs: Pairs | Sequence[Pairs]) -> tuple[PackedPairs, int]:
    """The pairs of all pairs of domains together, whitened, and how many they are.

    They are repeated up to the next power of 2, so that few sizes are ever compiled.
    """
    given = [pairs] if isinstance(pairs, Pairs) else list(pairs)
    checked = [_checked(problem.domains, problem.m, pair) for pair in given]
    count = sum(len(x) for _, _, x, _ in checked)
    if not count:
        raise ValueError("pairs must hold at least one row; got none. Leave pairs out instead.")
    positions = [np.repeat([[d], [e]], len(x), axis=1) for d, e, x, _ in checked]
    again = np.arange(max(FEWEST_PAIRS, 1 << (count - 1).bit_length())) % count
    source, target = np.eye(len(problem.domains))[np.concatenate(positions, axis=1)[:, again]]
    x, y = (problem.white(np.concatenate([c[i] for c in checked]))[again] for i in (2, 3))
    parts = (source, target, x, y, np.linalg.inv(problem.white.matrix))
    return PackedPairs(*(jnp.asarray(part, jnp.float32) for part in parts)), count


def _problem(result: FitResult, data: Data, valid: Data | None, options: Options) -> Problem:
    given = named_tables("data", data)
    held = given if valid is None else named_tables("valid", valid)
    for name, tables in (("data", given), ("valid", held)):
        if missing := [d for d in result.model.domains if d not in tables]:
            raise DomainError(f"{name} must hold the domains of the fit; {missing} are missing.")
    ordered: Named = {d: given[d] for d in result.model.domains}
    return make_problem(ordered, held, slope_of(ild_of(result.model)), options)


def _checked(
    domains: Sequence[Hashable], m: int, pair: Pairs
) -> tuple[int, int, Float[np.ndarray, "p m"], Float[np.ndarray, "p m"]]:
    for name, d in (("source", pair.source), ("target", pair.target)):
        if d not in domains:
            raise DomainError(f"pairs' {name} {d!r} is not among the domains {list(domains)}.")
    if pair.source == pair.target:
        raise ValueError(f"pairs must join two domains; got {pair.source!r} twice.")
    x, y = finite_table("x_source", pair.x_source), finite_table("x_target", pair.x_target)
    if x.shape != y.shape or x.shape[1] != m:
        raise ValueError(
            f"x_source and x_target must have the same rows and the data's {m} columns; "
            f"got {x.shape} and {y.shape}."
        )
    return domains.index(pair.source), domains.index(pair.target), x, y


def _belief(
    paired: PairedRows,
    candidates: Sequence[Start],
    starts: Sequence[Start],
    rng: np.random.Generator,
) -> Belief:
    if paired.count < 2:  # one pair can pick, but nothing is left to check a refinement with
        return Belief("picked", {})
    return believe(paired, candidates, best_starts(paired, starts), rng)
