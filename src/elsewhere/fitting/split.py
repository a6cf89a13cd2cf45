"""Rows of several domains: the one place where they are checked, shuffled and held out."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from elsewhere.arrays import Key
from elsewhere.draws import generator
from elsewhere.fitting.units import Units
from elsewhere.fitting.whole import Wholes, matched_tables

Data = Mapping[Hashable, ArrayLike] | ArrayLike
Named = dict[Hashable, Float[np.ndarray, "_ _"]]


class FitError(ValueError):
    """Fitting failed: the message says what in the data, or which restart, is why."""


@dataclass(frozen=True)
class Split:
    """Checked rows by domain, in random order.

    Attributes:
        train: those to fit, where some are held out.
        held: those held out; all of a domain that is too small to lend any.
        every: all that may be fitted, for an engine that needs none held out.
        units: what 1 and 0 of each column are; None where that is not known.
        wholes: the moments of all rows, which `train` and `every` are samples of and have; None
            where they are all.
    """

    train: Named
    held: Named
    every: Named
    units: Units | None = None
    wholes: Wholes | None = None

    @property
    def domains(self) -> tuple[Hashable, ...]:
        """The domains' names."""
        return tuple(self.train)

    @property
    def m(self) -> int:
        """How many columns there are."""
        return next(iter(self.train.values())).shape[1]


def split(
    key: Key,
    data: Data,
    valid: Data | None = None,
    check: Callable[[Named], None] | None = None,
    units: Units | None = None,
    wholes: Wholes | None = None,
) -> Split:
    """Rows to fit and rows held out: `valid`, or a tenth of the data where that is left out.

    Args:
        key: of the order of the rows.
        data: a mapping from each domain's name to its rows [n_d, m], or an array [D, n, m].
        valid: rows held out, like `data`.
        check: raises where the rows will not do, such as `check_fittable`, the default.
        units: of the columns, see `Split`.
        wholes: the moments of all rows where `data` are a sample of them. Rows to fit are moved to
            have these, by less than the sample errs; those held out stay as they are.
    """
    tables = named_tables("data", data)
    (check or check_fittable)(tables)
    every = shuffled(generator(key), tables)
    if valid is None:
        train, held = hold_out(every)
        whole = matched_tables(every, wholes)
        return Split(matched_tables(train, wholes), held, whole, units, wholes)
    held = named_tables("valid", valid)
    check_valid(held, every)
    every = matched_tables(every, wholes)
    return Split(every, {d: held[d] for d in every}, every, units, wholes)


def named_tables(name: str, data: Data) -> Named:
    """One float64 table [n_d, m] a domain, from a mapping or from an array [D, n, m]."""
    given = data if isinstance(data, Mapping) else dict(enumerate(_cube(name, data)))
    tables: Named = {d: finite_table(f"{name}[{d!r}]", table) for d, table in given.items()}
    widths = {d: table.shape[1] for d, table in tables.items()}
    if len(set(widths.values())) > 1:
        raise ValueError(
            f"{name} must have the same columns in every domain; got {widths} columns. "
            "Keep only the columns that all domains have."
        )
    return tables


def finite_table(name: str, value: ArrayLike) -> Float[np.ndarray, "n m"]:
    """The rows in float64, or why they are none."""
    table = np.asarray(value, float)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"{name} must have shape [rows, columns]; got {table.shape}.")
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        raise ValueError(
            f"{name} must be finite; got {table[row, column]} at row {row}, column {column}. "
            "Drop or impute such rows first."
        )
    return table


def check_domains(tables: Named) -> None:
    """Raise where there are fewer than two domains."""
    if len(tables) < 2:
        raise ValueError(
            "data must hold at least 2 domains, because a counterfactual leads from one to "
            f"another; got {list(tables)}."
        )


def check_fittable(tables: Named) -> None:
    """Raise where the rows cannot determine a full-rank model, naming the domain and columns."""
    check_domains(tables)
    for d, table in tables.items():
        _check_rows(d, table)
        _check_constant(d, table)
        _check_collinear(d, table)


def check_narrow(tables: Named, most: int, what: str, instead: str) -> None:
    """Raise where rows will not do, or have more columns than `what` can be searched for in."""
    check_fittable(tables)
    m = next(iter(tables.values())).shape[1]
    if m > most:
        raise FitError(
            f"{what} need at most {most} columns; got {m}. Leave some out, or fit with engine "
            f"{instead!r}."
        )


def check_valid(valid: Named, tables: Named) -> None:
    """Raise where the held-out rows are not of the same domains and columns as the data."""
    if set(valid) != set(tables):
        raise ValueError(f"valid must have the domains of data, {list(tables)}; got {list(valid)}.")
    width = next(iter(tables.values())).shape[1]
    for d, table in valid.items():
        if table.shape[1] != width or len(table) < 2:
            raise ValueError(
                f"valid[{d!r}] must have at least 2 rows and the {width} columns of data; "
                f"got shape {table.shape}."
            )


def needed_rows(m: int) -> int:
    """m + 2: the fewest rows of a domain that leave its m mechanisms some noise."""
    return m + 2


def shuffled(rng: np.random.Generator, tables: Named) -> Named:
    """The rows of each domain in random order, so that the first of them are a fair sample."""
    return {d: table[rng.permutation(len(table))] for d, table in tables.items()}


def hold_out(tables: Named, fraction: float = 0.1) -> tuple[Named, Named]:
    """(rows to fit, rows held out): the first of each domain, so large a part, at most 10,000.

    A domain too small to lend rows keeps them all, and is judged on them.
    """
    train, valid = {}, {}
    for d, table in tables.items():
        spare = len(table) - needed_rows(table.shape[1])
        count = min(int(fraction * len(table)), 10_000, spare)
        train[d] = table[count:] if count > 1 else table
        valid[d] = table[:count] if count > 1 else table
    return train, valid


def size_notes(tables: Named) -> tuple[str, ...]:
    """A warning for domains with fewer than 10 rows per column."""
    m = next(iter(tables.values())).shape[1]
    small = {d: len(table) for d, table in tables.items() if len(table) < 10 * m}
    if not small:
        return ()
    return (
        f"few rows: {small} in domains where 10 per column ({10 * m}) are advised; the fit will "
        "follow their noise.",
    )


def _cube(name: str, data: ArrayLike) -> Float[np.ndarray, "D n m"]:
    try:
        cube = np.asarray(data, float)
    except (ValueError, TypeError):
        raise ValueError(
            f"{name} must be an array [D, n, m] or a mapping from a domain's name to a table "
            "[n_d, m]; got neither. Use a mapping where domains have different numbers of rows."
        ) from None
    if cube.ndim != 3:
        raise ValueError(
            f"{name} must be an array [D, n, m] or a mapping from a domain's name to a table "
            f"[n_d, m]; got an array of shape {cube.shape}."
        )
    return cube


def _check_rows(d: Hashable, table: Float[np.ndarray, "n m"]) -> None:
    needed = needed_rows(table.shape[1])
    if len(table) < needed:
        raise FitError(
            f"domain {d!r} must have at least m + 2 = {needed} rows for its {table.shape[1]} "
            f"columns; got {len(table)}. Merge it with another domain or drop it."
        )


def _check_constant(d: Hashable, table: Float[np.ndarray, "n m"]) -> None:
    smallest = np.maximum(1e-12 * np.abs(table).max(axis=0), 1e-150)
    constant = np.flatnonzero(np.ptp(table, axis=0) <= smallest).tolist()
    if constant:
        raise FitError(
            f"every column must vary in every domain; in domain {d!r} columns {constant} are "
            "constant. Drop these columns."
        )


def _check_collinear(d: Hashable, table: Float[np.ndarray, "n m"]) -> None:
    unit = (table - table.mean(axis=0)) / table.std(axis=0)
    values, vectors = np.linalg.eigh(unit.T @ unit / len(unit))
    if values[0] > 1e-10:
        return
    share = np.abs(vectors[:, 0])
    columns = np.flatnonzero(share > 1e-3 * share.max()).tolist()
    raise FitError(
        f"columns must not determine one another; in domain {d!r} columns {columns} are collinear "
        f"(smallest eigenvalue of the correlations {values[0]:.2g}). Drop one of them."
    )
