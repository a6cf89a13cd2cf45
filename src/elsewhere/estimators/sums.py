"""Sums that hold in every row: the total is not modelled, but recomputed from its parts."""

from collections.abc import Hashable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.estimators.columns import (
    Columns,
    Kind,
    Sums,
    column_dtypes,
    filled,
    where,
    without_entries,
)

TOLERANCE = 1e-6  # of |total| + the sum of |parts|: what float32 and text may have rounded off


def read_sums(asked: Any, names: Sequence[Hashable], levels: Mapping[Hashable, Any]) -> Sums:
    """The sums that were asked for, if their totals and parts are different columns of numbers."""
    if not asked:
        return ()
    if not isinstance(asked, Mapping):
        raise ValueError(f"sums must be a mapping such as {{'total': ['a', 'b']}}; got {asked!r}.")
    sums = tuple((total, tuple(parts)) for total, parts in asked.items())
    for total, parts in sums:
        check_sum(total, parts, {*names}, {t for t, _ in sums}, levels)
    return sums


def check_sum(
    total: Hashable,
    parts: Sequence[Hashable],
    names: Set[Hashable],
    totals: Set[Hashable],
    levels: Mapping[Hashable, Any],
) -> None:
    """Raise unless total = Σ parts is about columns of numbers, the parts being no totals."""
    if unknown := [n for n in (total, *parts) if n not in names or n in levels]:
        raise ValueError(f"sums must name columns of X that hold numbers; got {unknown}.")
    if not parts or len(set(parts)) < len(parts):
        raise ValueError(f"sums[{total!r}] must name different parts; got {list(parts)}.")
    if nested := [part for part in parts if part in totals]:
        raise ValueError(
            f"sums[{total!r}] must not name totals as parts; got {nested}. Name their parts."
        )


def check_held(X: Kind, x: Float[np.ndarray, "n p"], columns: Columns) -> None:
    """Raise at the first row in which a sum does not hold; rows with gaps in it are passed over."""
    for total, parts in columns.sums:
        j, places = columns.names.index(total), [columns.names.index(p) for p in parts]
        found = x[:, places].sum(axis=1)
        room = TOLERANCE * (np.abs(x[:, j]) + np.abs(x[:, places]).sum(axis=1))
        off = np.flatnonzero(np.abs(x[:, j] - found) > room)
        if len(off):
            row = int(off[0])
            raise ValueError(
                f"sums[{total!r}] must hold in every row; {where(X, row, j)} holds {x[row, j]:g}, "
                f"but its parts add up to {found[row]:g} ({len(off)} such rows in all). Correct "
                "them, or leave the sum out."
            )


def with_sums(
    answer: Kind,
    like: Kind,
    columns: Columns,
    unmoved: Bool[np.ndarray, " n"],
    *,
    keep_gaps: bool = False,
) -> Kind:
    """The answer with every total the sum of its parts, but in rows that have not moved.

    Args:
        answer: with the parts in place, and the totals still those of `like`.
        like: the rows asked about.
        columns: those of the fit, with their sums.
        unmoved: rows that come back as they are.
        keep_gaps: whether totals that are missing stay so.
    """
    for total, parts in columns.sums:
        j = columns.names.index(total)
        each = [_numbers(answer, columns.names.index(part)) for part in parts]
        values = np.sum(each, axis=0)
        gone = np.isnan(_numbers(like, j)) & keep_gaps
        kind = column_dtypes(like, len(columns.names))[j]
        whole = bool((values == np.rint(values)).all())
        new = np.asarray(values, kind if kind.kind == "f" or whole else float)
        answer = filled(answer, [j], [new], unmoved[:, None])
        answer = without_entries(answer, np.array([j]), gone[:, None])
    return answer


def sums_in_words(sums: Sums) -> dict[str, str]:
    """What each total is: "the sum of a + b"."""
    return {str(total): f"the sum of {' + '.join(map(str, parts))}" for total, parts in sums}


def _numbers(table: Kind, j: int) -> Float[np.ndarray, " n"]:
    if hasattr(table, "iloc"):
        return table.iloc[:, j].to_numpy(float, na_value=np.nan)
    return np.asarray(table, float)[:, j]
