"""Columns that nobody kept: do they tell domains apart, and explain the difference of these?"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.covariates.columns import Category, column_of, read_column
from elsewhere.covariates.confounding import between_share
from elsewhere.fitting.moments.effects import LEVEL_OF_OFFSETS, means_by_chance
from elsewhere.fitting.moments.permutation import LEVEL

MOST_ROWS = 20_000
MOST_LEVELS = 20
SEPARABLE = 0.95  # of a column between domains: beyond it, it is the domain in other words
ENOUGH = 0.2  # of the differences of means, from which on a column is named
Rows = Float[np.ndarray, "n p"]


@dataclass(frozen=True)
class LeftOut:
    """A column that was not kept, and the share of the differences of means that it explains."""

    name: Hashable
    share: float


def left_out(frame: pd.DataFrame, y: Rows, codes: Codes) -> tuple[LeftOut, ...]:
    """The columns of `frame` that domains have more or less of, and that explain what y shows.

    Not those that are the domain in other words, that identify rows, or that have gaps; none where
    chance explains the differences of means.

    Args:
        frame: columns that are neither moved nor kept.
        y: rows in link space.
        codes: their domains.
    """
    apart = y - np.stack([y[codes == i].mean(axis=0) for i in range(int(codes.max()) + 1)])[codes]
    unit = np.sqrt((apart**2).mean(axis=0))
    y = y[:, unit > 0] / unit[unit > 0]
    bases = {name: _basis(column_of(frame, name)) for name in frame.columns}
    told = {name: b for name, b in bases.items() if b is not None and _goes_with(b, codes)}
    if not told or not y.shape[1] or means_by_chance(_parts(y, codes)) > LEVEL_OF_OFFSETS:
        return ()
    found = [LeftOut(name, explained_share(b, y, codes)) for name, b in told.items()]
    return tuple(sorted(found, key=lambda one: -one.share))


def explained_share(basis: Float[np.ndarray, "n b"], y: Rows, codes: Codes) -> float:
    """1 − Σ n_d α_d²/Σ n_d (ȳ_d − ȳ)², α the offsets given the basis, in 0..1."""
    counts = np.bincount(codes).astype(float)
    domains = (codes[:, None] == np.arange(len(counts))).astype(float)
    both = np.linalg.lstsq(np.c_[domains, basis - basis.mean(axis=0)], y, rcond=1e-9)[0]
    given, alone = both[: len(counts)], (domains.T @ y) / counts[:, None]
    after, before = (
        float((counts[:, None] * (a - counts @ a / counts.sum()) ** 2).sum())
        for a in (given, alone)
    )
    return float(np.clip(1 - after / max(before, 1e-300), 0.0, 1.0))


def _basis(values: pd.Series) -> Float[np.ndarray, "n b"] | None:
    """Its levels, or the number; None where it has gaps, never varies or identifies rows."""
    distinct = values.nunique()
    if values.isna().any() or distinct < 2 or pd.api.types.is_datetime64_any_dtype(values.dtype):
        return None
    few = distinct <= min(MOST_LEVELS, len(values) // 2)
    number = pd.api.types.is_numeric_dtype(values.dtype)
    if not few and not (number and distinct <= len(values) / 2):
        return None
    column = read_column(values.astype(str) if few else values)
    if column is None or isinstance(column, Category) and not few:
        return None
    return column.basis(values.astype(str) if few else values)


def _goes_with(basis: Float[np.ndarray, "n b"], codes: Codes) -> bool:
    """Whether domains have more or less of it than by chance, and are not it."""
    return (
        between_share(basis, codes) < SEPARABLE and means_by_chance(_parts(basis, codes)) <= LEVEL
    )


def _parts(rows: Rows, codes: Codes) -> list[Float[np.ndarray, "_ p"]]:
    return [rows[codes == i] for i in range(int(codes.max()) + 1)]


def in_words(found: tuple[LeftOut, ...], site: str) -> str:
    """What explains much of the difference, and what follows; empty where nothing does."""
    named = [one for one in found if one.share >= ENOUGH][:3]
    if not named:
        return ""
    listed = ", ".join(f"{one.name} ({one.share:.0%})" for one in named)
    return (
        f"not kept, but unlike between values of {site}, and able to explain much of the "
        f"difference of means: {listed}. All of it is now taken for the doing of {site}."
    )
