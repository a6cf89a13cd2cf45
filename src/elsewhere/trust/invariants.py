"""What must not change between domains, and how much it did."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement, graded, listed, percent, typical, worst

Quantity = Callable[[Any], Any]
Invariants = Sequence[Any] | Mapping[Any, Quantity] | Quantity
SMALL, LARGE = 0.05, 0.25  # deviations of the quantity
NOTICEABLE = 0.1


@dataclass(frozen=True)
class Invariant:
    """A quantity that must not change, over every row moved to every other domain.

    Attributes:
        change: root mean square of the change, in standard deviations of the quantity.
        changed: share of rows that changed by more than a tenth of a deviation.
        worst_pair: the pair of domains where it changes most.
    """

    name: str
    change: float
    changed: float
    worst_pair: str
    verdict: Judgement


@dataclass(frozen=True)
class Audit:
    """Every invariant, and what they say together."""

    invariants: tuple[Invariant, ...]
    verdict: Judgement


def audit(case: Case, invariants: Invariants | None) -> Audit:
    """How much each named column or function changes when rows are moved.

    Args:
        case: the rows.
        invariants: columns by name (or number), functions of a table that give one number per row,
            or a mapping from names to functions.
    """
    found = tuple(_invariant(case, *item) for item in quantities(case, invariants))
    return Audit(found, _verdict(found))


def quantities(case: Case, invariants: Invariants | None) -> list[tuple[str, Quantity]]:
    """(name, function of a table) of everything that must not change."""
    if invariants is None:
        return []
    if isinstance(invariants, Mapping):
        return [(str(name), function) for name, function in invariants.items()]
    given = [invariants] if callable(invariants) or isinstance(invariants, str) else invariants
    return [_quantity(case, one) for one in given]


def _quantity(case: Case, one: Any) -> tuple[str, Quantity]:
    if callable(one):
        return getattr(one, "__name__", "function"), one
    names = list(case.estimator.space_.columns.names)
    if one not in names:
        raise ValueError(
            f"invariants must be columns of X, [{listed([repr(n) for n in names], 20)}], or "
            f"functions of a table; got {one!r}."
        )
    inside = case.estimator.space_.columns.inside
    if one in inside:
        place = inside.index(one)
        return str(one), lambda X: case.estimator.space_.numbers(X)[:, place]
    there = names.index(one)
    return str(one), lambda X: (X.to_numpy() if hasattr(X, "iloc") else X)[:, there]


def _invariant(case: Case, name: str, quantity: Quantity) -> Invariant:
    before = {d: _values(name, quantity, X) for d, X in case.given.items()}
    unit = float(np.concatenate(list(before.values())).std()) or 1.0
    changes = {
        (d, e): (_values(name, quantity, case.answer((d, e))) - before[d]) / unit
        for d, e in case.pairs
    }
    sizes = {pair: float(np.sqrt((change**2).mean())) for pair, change in changes.items()}
    every = np.concatenate(list(changes.values()))
    change, most = float(np.sqrt((every**2).mean())), max(sizes, key=lambda pair: sizes[pair])
    changed = float((np.abs(every) > NOTICEABLE).mean())
    level = typical({pair: graded(size, SMALL, LARGE) for pair, size in sizes.items()})
    words = (
        f"{name} stays as it was."
        if level == "good"
        else f"{name} changes by {sizes[most]:.2g} standard deviations for {most[0]} → {most[1]}; "
        f"{percent(changed)} of all moved rows change by more than a tenth of one."
    )
    return Invariant(name, change, changed, f"{most[0]} → {most[1]}", Judgement(level, words))


def _values(name: str, quantity: Quantity, X: Any) -> Float[np.ndarray, " n"]:
    values = np.asarray(quantity(X), float)
    if values.shape != (len(X),) or not np.isfinite(values).all():
        raise ValueError(
            f"the invariant {name!r} must give one finite number per row, shape ({len(X)},); got "
            f"shape {values.shape}."
        )
    return values


def _verdict(found: tuple[Invariant, ...]) -> Judgement:
    if not found:
        return Judgement(
            "unknown",
            "Nothing was named that must not change between domains.",
            remedy="Name columns that the domain cannot influence, such as age, and check again.",
        )
    odd = [one for one in found if one.verdict.warns]
    most = max(one.change for one in found)
    limits = f"Fine up to {SMALL:g}, poor from {LARGE:g}."
    measure = f"Typical change: {most:.2g} standard deviations. {limits}"
    if not odd:
        words = f"What must not change did not: {listed([i.name for i in found])}."
        return Judgement("good", words, measure)
    return Judgement(
        worst(one.verdict.level for one in odd),
        "Did real signal move? " + " ".join(one.verdict.words for one in odd),
        measure,
        f"Leave {listed([one.name for one in odd])} out of the fit, so that it stays as it is; "
        "then see whether the other answers still make sense.",
    )
