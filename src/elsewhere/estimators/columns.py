"""The columns of a table: checked on the way in, of the same kind and types on the way out."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

LARGEST = 1e150  # of a number: the sum of its squares must be one too
SMALLEST = 1e-140  # that a column varies by, for the same reason
Sums = tuple[tuple[Hashable, tuple[Hashable, ...]], ...]  # (total, parts), held in every row
Kind = Any  # an array or a pandas DataFrame; answers are of the kind that was asked


@dataclass(frozen=True)
class Columns:
    """What a fit remembers of its table.

    Attributes:
        names: the columns' names; 0, 1, … for an array.
        dtypes: their types.
        named: whether they came in a DataFrame.
        constant: of each column that never varied the value, NaN where all are missing, else None;
            it is carried through.
        sums: totals with their parts; a total is recomputed, and neither modelled nor carried.
    """

    names: tuple[Hashable, ...]
    dtypes: tuple[np.dtype, ...]
    named: bool
    constant: tuple[float | None, ...]
    sums: Sums = ()

    @property
    def totals(self) -> list[Hashable]:
        """The names of the columns that are sums of others."""
        return [total for total, _ in self.sums]

    @property
    def modelled(self) -> Bool[np.ndarray, " p"]:
        """Which columns vary and are no totals: those that are modelled."""
        totals, pairs = set(self.totals), zip(self.names, self.constant, strict=True)
        return np.array([value is None and name not in totals for name, value in pairs])

    def values(self, x: Float[np.ndarray, "n p"]) -> Float[np.ndarray, "n m"]:
        """The modelled columns of x; x itself where these are all."""
        return x if self.modelled.all() else x[:, self.modelled]

    @property
    def inside(self) -> list[Hashable]:
        """The names of the modelled columns."""
        pairs = zip(self.names, self.constant, strict=True)
        totals = set(self.totals)
        return [name for name, value in pairs if value is None and name not in totals]

    @property
    def carried(self) -> list[Hashable]:
        """The names of the columns that never varied."""
        pairs = zip(self.names, self.constant, strict=True)
        totals = set(self.totals)
        return [name for name, value in pairs if value is not None and name not in totals]

    def blank(self, n: int) -> Kind:
        """n rows of the fit's kind, the constants in place."""
        columns = [
            np.full(n, 0 if value is None else value, dtype)
            for value, dtype in zip(self.constant, self.dtypes, strict=True)
        ]
        if not self.named:
            return np.stack(columns, axis=1)
        import pandas as pd

        return pd.DataFrame(dict(enumerate(columns))).set_axis(list(self.names), axis=1)


def read_columns(X: Kind, x: Float[np.ndarray, "n p"]) -> Columns:
    """The columns of X, whose values are x."""
    dtypes = column_dtypes(X, x.shape[1])
    least, most = np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=0)  # of what is not missing
    flat = ~(most - least > 1e-12 * np.maximum(np.abs(least), np.abs(most)))
    _check_spread(X, most - least, flat)
    first = np.where(np.isnan(x[0]), least, x[0])
    constant = tuple(float(v) if same else None for v, same in zip(first, flat, strict=True))
    return Columns(names_of(X, x.shape[1]), dtypes, hasattr(X, "iloc"), constant)


def _check_spread(X: Kind, spread: Float[np.ndarray, " p"], flat: Bool[np.ndarray, " p"]) -> None:
    narrow = np.flatnonzero(~flat & (spread < SMALLEST))
    if len(narrow):
        raise ValueError(
            f"X must hold columns that vary by {SMALLEST:g} or more, or not at all; "
            f"{names_of(X, len(spread))[narrow[0]]!r} varies by {spread[narrow[0]]:g}. Change its "
            "unit."
        )


def names_of(X: Kind, width: int) -> tuple[Hashable, ...]:
    """What the columns are called; their positions, where they have no names."""
    return tuple(X.columns) if hasattr(X, "iloc") else tuple(range(width))


def column_dtypes(X: Kind, width: int) -> tuple[np.dtype, ...]:
    """The type that answers get: that of the column, float64 where it holds no NumPy number."""
    if hasattr(X, "iloc"):
        return tuple(_number_type(dtype) for dtype in X.dtypes)
    return (_number_type(getattr(X, "dtype", None)),) * width


def filled(
    X: Kind,
    places: Sequence[int] | np.ndarray,
    values: Sequence[np.ndarray],
    keep: Bool[np.ndarray, "n m"],
) -> Kind:
    """X with new values in some columns save what is to be kept; index, names, types as before."""
    if not hasattr(X, "iloc"):
        old = np.array(X, column_dtypes(X, 1)[0])
        answer = old.astype(np.result_type(old, *values))
        for j, new, kept in zip(places, values, keep.T, strict=True):
            answer[:, j] = np.where(kept, old[:, j], new)
        return answer
    answer = X.copy()
    for j, new, kept in zip(places, values, keep.T, strict=True):
        answer.isetitem(j, _column(X.iloc[:, j], new, kept))
    return answer


def _column(old: Any, new: np.ndarray, keep: np.ndarray) -> Any:
    """A pandas column with new values, of the old type where that can hold them."""
    if new.dtype.kind not in "iuf" or not _is_number(old.dtype):
        return _with_levels(old, new, keep)
    before = old.fillna(0) if new.dtype.kind in "iu" and old.isna().any() else old
    mixed = type(old)(np.where(keep, before.to_numpy(new.dtype), new), index=old.index)
    if before is not old:
        mixed = mixed.astype(old.dtype).mask(old.isna().to_numpy() & keep)
    same = _number_type(old.dtype) == new.dtype
    return mixed.astype(old.dtype) if same else mixed


def _with_levels(old: Any, new: np.ndarray, keep: np.ndarray) -> Any:
    """A pandas column of levels, of the old type, a category with its order."""
    if getattr(old.dtype, "kind", "O") != "f" or new.dtype.kind in "iuf":
        return type(old)(np.where(keep, old.to_numpy(object), new), index=old.index).astype(
            old.dtype
        )
    return type(old)(new, index=old.index)  # rows that were drawn have no type of their own


def check_numeric(X: Kind) -> None:
    """Raise where a DataFrame has a column that holds no numbers, or two of one name."""
    if not hasattr(X, "iloc"):
        return
    if twice := [name for name, double in zip(X, X.columns.duplicated(), strict=True) if double]:
        raise ValueError(f"X has duplicate column names: {twice}. Rename one.")
    if other := {name: str(t) for name, t in X.dtypes.items() if not _is_number(t)}:
        raise ValueError(
            f"X must hold numbers only; got {other}. Convert these columns, as X.astype(float), or "
            "leave them out."
        )


def check_finite(X: Kind, x: Float[np.ndarray, "n p"]) -> None:
    """Raise at the first inf or number whose square is none, naming its place; NaN is missing."""
    if not ((x > LARGEST) | (x < -LARGEST)).any():
        return
    bad = np.argwhere(np.abs(x) > LARGEST)
    row, column = (int(i) for i in bad[0])
    if np.isfinite(x[row, column]):
        raise ValueError(
            f"X must hold numbers within ±{LARGEST:g}; got {x[row, column]:g} at "
            f"{where(X, row, column)}. Change the column's unit, or drop such rows."
        )
    raise ValueError(
        f"X must not hold infinite values (inf); got {x[row, column]:g} at {where(X, row, column)} "
        f"({len(bad)} such values in all). Correct them, or mark them as missing (NaN)."
    )


def without_entries(X: Kind, places: np.ndarray, gone: Bool[np.ndarray, "n m"]) -> Kind:
    """X with NaN, or what its column has for a missing value, in some entries of some columns."""
    if not gone.any():
        return X
    if not hasattr(X, "iloc"):
        answer = X.astype(np.result_type(X, np.float16))
        for j, holes in zip(places, gone.T, strict=True):
            answer[holes, j] = np.nan
        return answer
    answer = X.copy()
    for j, holes in zip(places, gone.T, strict=True):
        if holes.any():
            answer.isetitem(j, X.iloc[:, j].mask(holes))
    return answer


def where(X: Kind, row: int, column: int) -> str:
    """The place in the user's words: index label and column name of a DataFrame, else numbers."""
    if hasattr(X, "iloc"):
        return f"row {X.index[[row]].tolist()[0]!r}, column {X.columns[column]!r}"
    return f"row {row}, column {column}"


def _is_number(dtype: Any) -> bool:
    kind = getattr(dtype, "numpy_dtype", dtype)  # pandas' nullable types name their NumPy one
    return getattr(kind, "kind", "O") in "iuf"


def _number_type(dtype: Any) -> np.dtype:
    kind = getattr(dtype, "numpy_dtype", dtype)
    return np.dtype(kind) if _is_number(dtype) else np.dtype(float)
