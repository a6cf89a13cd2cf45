"""Domain labels: one for every row, of any kind that can be told apart."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from elsewhere.arrays import Codes
from elsewhere.errors import DomainError

EVERY = "all"  # the target that means every domain


def factorised(name: str, labels: Any, n: int) -> tuple[Codes, list[Hashable]]:
    """(code of every row, the different labels): from one label for all rows, or one for each."""
    if labels is None:
        raise ValueError(
            f"{name} must have one label per row; got None. The estimator requires y to be passed, "
            "but the target y is None."
        )
    if not _is_per_row(labels):
        return np.zeros(n, int), [_plain(labels)]
    if len(labels) != n:
        raise ValueError(
            f"{name} must have one label per row: X has {n} rows; got {len(labels)} labels."
        )
    import pandas as pd

    codes, found = pd.factorize(_column(labels))
    if (codes < 0).any():
        raise ValueError(
            f"{name} must not be missing; row {int(np.argmin(codes))} has none. Drop such rows, or "
            "give them a label of their own."
        )
    return codes.astype(int), [_plain(label) for label in found]


def codes_of(name: str, labels: Any, n: int, domains: Sequence[Hashable]) -> Codes:
    """The position of every row's label among the domains."""
    codes, found = factorised(name, labels, n)
    position = {d: i for i, d in enumerate(domains)}
    if unknown := [label for label in found if label not in position]:
        raise DomainError(
            f"{name} must be domains of the fit, {list(domains)}; got {unknown[:5]}. Use one of "
            "these, or add_domain with rows of the new one."
        )
    return np.array([position[label] for label in found], int)[codes]


def check_label(label: Any) -> Hashable:
    """The label as a plain value, if it can name a domain."""
    plain = _plain(label)
    if plain is None or plain != plain:
        raise ValueError(f"a domain's label must not be missing; got {label!r}.")
    if plain == EVERY:
        raise ValueError(
            f"a domain must not be called {EVERY!r}, which as a target means every domain; rename "
            "it."
        )
    return plain


def ordered(found: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """The labels sorted, or in order of appearance where they cannot be compared; at least two."""
    labels = [check_label(label) for label in found]
    if len(labels) < 2:
        raise ValueError(
            "domains must hold at least 2 different labels, because a counterfactual leads from "
            f"one to another; got one class only, {labels}."
        )
    try:
        return tuple(sorted(labels))  # type: ignore[type-var]
    except TypeError:
        return tuple(labels)


def _is_per_row(labels: Any) -> bool:
    return isinstance(labels, list | np.ndarray) or hasattr(labels, "iloc")


def _column(labels: Any) -> Any:
    """Something that pandas can factorise; a list becomes objects, so that tuples stay whole."""
    if hasattr(labels, "iloc") or (isinstance(labels, np.ndarray) and labels.ndim == 1):
        return labels
    column = np.empty(len(labels), object)
    for i, label in enumerate(np.ravel(labels) if isinstance(labels, np.ndarray) else labels):
        column[i] = label
    return column


def _plain(label: Any) -> Hashable:
    return label.item() if isinstance(label, np.generic) else label
