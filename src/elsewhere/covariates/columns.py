"""The covariates of a table: numbers and categories, read alike when fitted and when asked."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd
from jaxtyping import Float

GAP = "(missing)"  # the level of rows whose category is not known
MOST_LEVELS = 0.5  # levels per row, from which on a category identifies rows instead of kinds


@dataclass(frozen=True)
class Number:
    """x ↦ (x − centre)/unit, and the natural cubic splines that are 1 at one inner knot."""

    name: Hashable
    centre: float
    unit: float
    knots: tuple[float, ...] = ()

    def basis(self, values: pd.Series) -> Float[np.ndarray, "n b"]:
        """One column if linear; with K knots K − 1, which are linear outside the knots."""
        x = (_as_numbers(self.name, values) - self.centre) / self.unit
        if not self.knots:
            return x[:, None]
        return np.column_stack([x, _bends(x, np.asarray(self.knots))])

    def smooth(self, values: pd.Series, count: int) -> "Number":
        """The same with `count` knots at quantiles of its different values."""
        distinct = np.unique((_as_numbers(self.name, values) - self.centre) / self.unit)
        knots = np.quantile(
            distinct,
            np.linspace(0.02, 0.98, count) if len(distinct) > 8 else np.linspace(0, 1, count),
        )
        return replace(self, knots=tuple(float(k) for k in knots))


@dataclass(frozen=True)
class Category:
    """Level ↦ 1 in its own column, none for the first level; what is missing has a level, too."""

    name: Hashable
    levels: tuple[Hashable, ...]

    def basis(self, values: pd.Series) -> Float[np.ndarray, "n b"]:
        """One column for each level but the first."""
        codes = self.codes(values)
        return (codes[:, None] == np.arange(1, len(self.levels))).astype(float)

    def codes(self, values: pd.Series) -> np.ndarray:
        """The position of every row's level; raises for one that the fit has not seen."""
        place = {level: i for i, level in enumerate(self.levels)}
        plain = _levels(values)
        if GAP in plain and GAP not in place:
            _check_present(self.name, values)
        if unknown := sorted({str(v) for v in plain if v not in place}):
            raise ValueError(
                f"covariate {self.name!r} must have a level of the fit, {list(self.levels)}; got "
                f"{unknown[:5]}. What such a level changes is not known: leave these rows out, or "
                "fit again with rows that have it."
            )
        return np.array([place[v] for v in plain], int)


Column = Number | Category


def as_frame(covariates: Any, n: int) -> pd.DataFrame:
    """A DataFrame with one row per row of X, from a DataFrame, Series, mapping or array."""
    if isinstance(covariates, pd.Series):
        name = 0 if covariates.name is None else covariates.name
        frame = covariates.to_frame(name)
    elif isinstance(covariates, pd.DataFrame):
        frame = covariates
    else:
        values = covariates if isinstance(covariates, dict) else np.asarray(covariates)
        frame = pd.DataFrame(values)
    if len(frame) != n:
        raise ValueError(
            f"covariates must have one row per row of X: X has {n} rows; got {len(frame)}."
        )
    if twice := list(frame.columns[frame.columns.duplicated()]):
        raise ValueError(f"duplicate column names in covariates: {twice}. Rename one.")
    if not frame.shape[1]:
        raise ValueError("covariates must have at least one column; got none. Leave them out.")
    return frame


def column_of(frame: pd.DataFrame, name: Hashable) -> pd.Series:
    """The column of this name."""
    return cast(pd.Series, frame[name])


def read_column(values: pd.Series) -> Column | None:
    """What a covariate is: a number, or a category; None for one that never varies."""
    name = values.name
    if values.isna().all():
        _check_present(name, values)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        raise ValueError(
            f"covariate {name!r} must be a number or a category; got dates. Give a number, such as "
            "days since the first."
        )
    if pd.api.types.is_numeric_dtype(values.dtype) and not _is_bool(values):
        x = _as_numbers(name, values)
        unit = float(x.std())
        return Number(name, float(x.mean()), unit) if unit > 1e-12 * np.abs(x).max() else None
    levels = list(dict.fromkeys(_levels(values)))
    if len(levels) > max(MOST_LEVELS * len(values), 2):
        raise ValueError(
            f"covariate {name!r} must be a kind that several rows share; got {len(levels)} levels "
            f"in {len(values)} rows, which identify rows. Leave it out, or group its levels."
        )
    return Category(name, tuple(_sorted(levels))) if len(levels) > 1 else None


def _bends(x: Float[np.ndarray, " n"], knots: Float[np.ndarray, " K"]) -> Float[np.ndarray, "n b"]:
    """Natural cubic splines that are 1 at one inner knot and 0 at all others, linear outside."""
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(knots, np.eye(len(knots))[:, 1:-1], bc_type="natural")
    inside = np.clip(x, knots[0], knots[-1])
    return spline(inside) + (x - inside)[:, None] * spline(inside, 1)


def _as_numbers(name: Hashable, values: pd.Series) -> Float[np.ndarray, " n"]:
    try:
        x = values.to_numpy(float, na_value=np.nan)
    except (ValueError, TypeError):
        raise ValueError(
            f"covariate {name!r} was fitted as a number; got {values.dtype}, e.g. "
            f"{values.iloc[0]!r}. Give numbers."
        ) from None
    if not np.isfinite(x).all():
        place = int(np.argmin(np.isfinite(x)))
        row, value = values.index.tolist()[place], values.tolist()[place]
        raise ValueError(
            f"covariate {name!r} must not be missing or infinite; row {row!r} has {value!r}. Drop "
            "such rows, or fill in a value."
        )
    return x


def _check_present(name: Hashable, values: pd.Series) -> None:
    if values.isna().any():
        row = values.index.tolist()[int(np.argmax(values.isna()))]
        raise ValueError(
            f"covariate {name!r} must not be missing; row {row!r} has none, and no row of the fit "
            "was without. Leave such rows out, or give them one of its levels."
        )


def _is_bool(values: pd.Series) -> bool:
    return pd.api.types.is_bool_dtype(values.dtype)


def _sorted(levels: list[Hashable]) -> list[Hashable]:
    try:
        return sorted(levels)  # type: ignore[type-var]
    except TypeError:
        return levels


def _levels(values: pd.Series) -> list[Hashable]:
    """The level of every row."""
    pairs = zip(values, values.isna(), strict=True)
    return [GAP if missing else _plain(value) for value, missing in pairs]


def _plain(value: Any) -> Hashable:
    return value.item() if isinstance(value, np.generic) else value
