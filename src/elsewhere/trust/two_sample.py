"""Do rows moved into a domain look like rows of that domain?"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.spatial.distance import cdist

from elsewhere.trust.case import FEW, Case, Pair, Rows
from elsewhere.trust.judgement import (
    Judgement,
    Level,
    apart,
    few_of_many,
    listed,
    percent,
    typical,
    worst,
)

ROWS, PERMUTATIONS = 200, 199
LEVEL = 0.01  # over all pairs together
MOST_PAIRS = 6  # with too few rows that are named; of more, their domains are
NOTICEABLE = 0.02  # energy effect: below it a difference is real perhaps, but small


@dataclass(frozen=True)
class Likeness:
    """Rows of `source` moved to `target`, against real rows of `target`.

    Attributes:
        effect: energy distance over twice the mean distance across: 0 for equal distributions, 1
            for point masses apart.
        effect_before: the same for the rows unmoved.
        p_value: of equal distributions, by permutation.
        rows: how many there are in the smaller of the two domains.
    """

    source: Hashable
    target: Hashable
    effect: float
    effect_before: float
    p_value: float
    rows: int = FEW

    @property
    def differs(self) -> bool:
        """Whether the difference is too large to overlook."""
        return self.effect > NOTICEABLE


@dataclass(frozen=True)
class Likenesses:
    """Every ordered pair of domains, and what they say together."""

    pairs: tuple[Likeness, ...]
    verdict: Judgement


def two_sample(case: Case) -> Likenesses:
    """Energy distance between counterfactuals into d' and real rows of d', for every pair."""
    found = tuple(_of_pair(case, pair, i) for i, pair in enumerate(case.pairs))
    return Likenesses(found, likeness_verdict(found))


def likeness(
    pair: Pair,
    moved: Rows,
    before: Rows,
    real: Float[np.ndarray, "b m"],
    rng: np.random.Generator,
) -> Likeness:
    """At most 200 rows of each: moved and unmoved ones of d against real ones of d'."""
    smaller = min(len(before), len(real))
    moved, before, real = (rng.permutation(rows)[:ROWS] for rows in (moved, before, real))
    effect, p_value = energy_test(moved, real, rng)
    return Likeness(*pair, effect, energy_test(before, real, rng, 1)[0], p_value, smaller)


def energy_test(
    x: Float[np.ndarray, "a m"],
    y: Float[np.ndarray, "b m"],
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
) -> tuple[float, float]:
    """(effect, p): E = 2 E‖x − y‖ − E‖x − x'‖ − E‖y − y'‖, divided by 2 E‖x − y‖."""
    both = np.concatenate([x, y])
    distances = cdist(both, both)
    signs = np.concatenate([np.full(len(x), 1 / len(x)), np.full(len(y), -1 / len(y))])
    orders = np.argsort(rng.random((permutations, len(both))), axis=1)
    shuffled = signs[np.concatenate([np.arange(len(both))[None], orders])]
    energies = -np.einsum("pi,pi->p", shuffled @ distances, shuffled)
    across = 2 * distances[: len(x), len(x) :].mean()
    p_value = (1 + (energies[1:] >= energies[0]).sum()) / (permutations + 1)
    return float(max(energies[0], 0.0) / across) if across else 0.0, float(p_value)


def _of_pair(case: Case, pair: Pair, stream: int) -> Likeness:
    (d, e), unit = pair, case.unit
    moved, before, real = case.carried[pair] / unit, case.linked[d] / unit, case.linked[e] / unit
    return likeness(pair, moved, before, real, case.rng(1_000 + stream))


def likeness_verdict(found: tuple[Likeness, ...], what: str = "rows") -> Judgement:
    """Whether moved ones can be told from real ones; one pair of many does not decide."""
    limit = max(LEVEL / len(found), 1.5 / (PERMUTATIONS + 1))
    levels: dict[Pair, Level] = {(one.source, one.target): _level(one, limit) for one in found}
    odd = sorted((one for one in found if _level(one, limit) != "good"), key=lambda a: -a.effect)
    small, domains = _small(found), {one.source for one in found}
    if not odd and small and not few_of_many(len(small), len(domains)):
        return _too_few(what, _weak(found, small))
    lone, measure = apart(levels), _measure(found, len(odd), what)
    level = worst([typical(levels), "caution" if lone else "good"])
    if level == "good":
        words = f"{what.capitalize()} moved into a domain cannot be told from its own {what}."
        rest = f" Too few to tell: {listed(small)}." if small else ""
        return Judgement("good", words + rest, measure)
    names = listed([f"{one.source} → {one.target}" for one in odd], 3)
    end = (
        f"; for some, hardly less easily than unmoved {what}."
        if level == "bad"
        else f", though less than unmoved {what} can."
    )
    words = f"Moved {what} can be told from real ones of the target for {names}{end}"
    return Judgement(level, words, measure, _remedy(lone, what))


def _too_few(what: str, where: str) -> Judgement:
    words = (
        f"Too few {what} to tell moved ones from real ones for {where}: fewer than {FEW} in a "
        "domain, and the fit has seen them all."
    )
    return Judgement("unknown", words, remedy=f"Collect at least {FEW} {what} per domain.")


def _measure(found: tuple[Likeness, ...], odd: int, what: str) -> str:
    pairs = "pair" if len(found) == 1 else "pairs"
    return (
        f"Left of the difference: {_left(found)}; moved {what} differ in {odd} of {len(found)} "
        f"{pairs} of domains. Fine: none, or fewer than a tenth."
    )


def _small(found: tuple[Likeness, ...]) -> list[Hashable]:
    """The domains with too few rows, in all of whose pairs one domain has too few."""
    enough = {d for one in found if one.rows >= FEW for d in (one.source, one.target)}
    return [d for d in dict.fromkeys(one.source for one in found) if d not in enough]


def _weak(found: tuple[Likeness, ...], small: list[Hashable]) -> str:
    """The pairs with too few rows; of many, the domains that make them so."""
    weak = [f"{one.source} → {one.target}" for one in found if one.rows < FEW]
    return listed(weak, 3) if len(weak) <= MOST_PAIRS else listed(small)


def _level(one: Likeness, limit: float) -> Level:
    """Bad where moving hardly helps, caution where a difference is left."""
    if one.p_value > limit or not one.differs:
        return "good"
    return "bad" if one.effect > 0.5 * one.effect_before else "caution"


def _left(found: tuple[Likeness, ...]) -> str:
    before = sum(one.effect_before for one in found)
    return percent(min(sum(one.effect for one in found) / before, 1.0)) if before else "none"


def _remedy(lone: list[Hashable], what: str) -> str:
    if lone:
        return f"Look at {listed(lone)} first: fit again without, and see whether the rest agrees."
    return (
        f"Use the answers for averages, not for single {what}, or give some {what} seen in two "
        "domains as pairs."
    )
