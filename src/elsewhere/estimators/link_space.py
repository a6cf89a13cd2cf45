"""Link space: where every modelled column is unbounded, continuous and of unit scale."""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.estimators.choose_links import Spec, choose_links
from elsewhere.estimators.columns import Columns, Kind, column_dtypes, filled, read_columns, where
from elsewhere.estimators.far_values import column_blocks, far_values
from elsewhere.estimators.levels import Levels, decoded, encoded, level_names
from elsewhere.estimators.links import Link
from elsewhere.estimators.sums import check_held, read_sums, with_sums
from elsewhere.estimators.usual_values import usual_notes
from elsewhere.estimators.zero_links import zero_notes
from elsewhere.fitting import FitError
from elsewhere.fitting.units import Units

Rows = Float[np.ndarray, "n m"]
FEW_VALUES = 5
_COLUMNS = re.compile(r"columns \[([\d, ]+)\]")


@dataclass(frozen=True)
class LinkSpace:
    """y_j = link_j(x_j) for every modelled column of a table, and the way back."""

    columns: Columns
    links: tuple[Link, ...]
    notes: tuple[str, ...] = ()
    levels: Levels = field(default_factory=dict)

    @property
    def units(self) -> Units:
        """What 1 in link space is in the unit of the columns, inf where that is another; and 0.

        Columns that are used as they are have one kind of unit and those that are used by ratios
        another; the kind with more columns counts. Columns that are never negative have a zero.
        """
        ratios = np.array([link.shape == "log" for link in self.links])
        plain = np.array([link.shape in ("identity", "softplus") for link in self.links])
        counted = ratios if ratios.sum() > plain.sum() else plain
        shared = np.where(counted, [link.unit for link in self.links], np.inf)
        zeros = [link.forward_of_zero for link in self.links]
        return Units(shared, np.array(zeros, float), ratios)

    @contextmanager
    def naming_columns(self) -> Iterator[None]:
        """A fit that fails says which columns, by their names and not by their numbers."""
        try:
            yield
        except FitError as error:
            raise FitError(_COLUMNS.sub(self._named, str(error))) from None

    def _named(self, found: re.Match[str]) -> str:
        return f"columns {[self.columns.inside[int(j)] for j in found[1].split(',')]}"

    def forward(self, X: Kind, x: Float[np.ndarray, "n p"]) -> Rows:
        """y of the rows x of X; raises where a value lies outside the bounds of its column."""
        for j, link in zip(np.flatnonzero(self.columns.modelled), self.links, strict=True):
            outside = np.flatnonzero(~(link.allows(x[:, j]) | np.isnan(x[:, j])))
            if len(outside):
                row = int(outside[0])
                raise ValueError(
                    f"X must stay within the links of the fit; {where(X, row, int(j))} holds "
                    f"{x[row, j]:g}, but the column was fitted as {link}. Correct the value, or "
                    "fit with another entry in links."
                )
        y = np.empty((len(x), len(self.links)))
        for j, (link, column) in enumerate(self._pairs(x)):
            y[:, j] = link.forward(column)
        return y

    def inverse(self, y: Rows, like: Kind, keep: Bool[np.ndarray, "n m"] | None = None) -> Kind:
        """x in the kind and types of `like`; the entries to keep are those of `like` itself."""
        check_answers(y)
        places = np.flatnonzero(self.columns.modelled)
        dtypes = column_dtypes(like, len(self.columns.names))
        stay = np.zeros(y.shape, bool) if keep is None else keep
        for i, (a, j) in enumerate(zip(self.links, places, strict=True)):
            kept = stay[:, i]
            self._check_overflow(a, y[:, i], kept, like, int(j), _answer_type(a, dtypes[j]))
        values = [
            self._values(int(j), a.inverse(column, _answer_type(a, dtypes[j])))
            for a, j, column in zip(self.links, places, y.T, strict=True)
        ]
        answer = filled(like, places, values, stay)
        return with_sums(answer, like, self.columns, np.asarray(stay.all(axis=1)))

    def numbers(self, X: Kind) -> Float[np.ndarray, "n m"]:
        """The modelled columns as numbers; levels that have names by their place, from 0."""
        named = {name: values for name, values in self.levels.items() if level_names(values)}
        return self.columns.values(np.asarray(encoded(X, named), float))

    def said(self, name: Hashable, value: float) -> str:
        """A number of `numbers` in words: the name of its level, or four digits."""
        names = self.level_names(name)
        return names[int(value)] if names else f"{value:.4g}"

    def level_names(self, name: Hashable) -> tuple[str, ...]:
        """What the levels of a column are called; none for numbers."""
        found = (v for n, v in self.levels.items() if str(n) == str(name))
        return level_names(next(found, ()))

    def zeros(self, x: Float[np.ndarray, "n p"]) -> Bool[np.ndarray, "n m"]:
        """Which entries are zeros that are apart from all amounts, and stay what they are."""
        apart = np.array([link.zeros for link in self.links])
        return (self.columns.values(x) == 0) & apart

    def _check_overflow(
        self, link: Link, y: np.ndarray, stay: np.ndarray, like: Kind, j: int, dtype: np.dtype
    ) -> None:
        """Raise where an answer is larger than any number of the column's type."""
        over = np.flatnonzero(link.overflows(y, dtype) & ~stay)
        if len(over):
            raise ValueError(
                f"the answer is too large for {dtype} at {where(like, int(over[0]), j)}: the row "
                "lies too far from the rows fitted. Leave it out, or use a wider type."
            )

    def log_slope(self, x: Float[np.ndarray, "n p"]) -> Float[np.ndarray, " n"]:
        """Σ_j log ∂y_j/∂x_j over the columns that are not missing."""
        slopes = [a.log_slope(column) for a, column in self._pairs(x)]
        return np.sum(np.where(np.isnan(slopes), 0.0, slopes), axis=0)

    def _values(self, j: int, column: np.ndarray) -> np.ndarray:
        """The levels in place of their numbers, where the column has levels."""
        values = self.levels.get(self.columns.names[j])
        return column if values is None else decoded(column, values)

    def _pairs(self, x: Float[np.ndarray, "n p"]) -> Any:
        return zip(self.links, self.columns.values(x).T, strict=True)


def check_answers(answers: np.ndarray) -> np.ndarray:
    """The answers, one per row, if all are finite."""
    if not np.isfinite(answers).all():
        row = int(np.argwhere(~np.isfinite(answers))[0][0])
        raise ValueError(
            f"the answer is not finite at row {row}: the row lies too far from the rows "
            "fitted. Leave it out."
        )
    return answers


def link_space(
    X: Kind,
    x: Float[np.ndarray, "n p"],
    codes: Codes,
    links: str | Mapping[Any, Spec],
    levels: Levels,
    sums: Any = None,
) -> LinkSpace:
    """The links that are asked for, and "auto" for the rest; columns that never vary have none."""
    columns = read_columns(X, x)
    columns = replace(columns, sums=read_sums(sums, columns.names, levels))
    check_held(X, x, columns)
    if not columns.inside:
        raise ValueError("X must have at least one column that varies; every column is constant.")
    asked = links
    if isinstance(links, Mapping):
        aside = {*columns.carried, *columns.totals}
        asked = {name: spec for name, spec in links.items() if name not in aside}
        asked |= {name: ("levels", *levels[name]) for name in levels if name in asked}
    inside = columns.values(x)
    chosen = choose_links(columns.inside, inside, codes, asked)
    notes = (
        *_notes(columns, inside, levels),
        *zero_notes(columns.inside, chosen, inside, codes),
        *usual_notes(X, columns, chosen, inside),
        *far_values(X, columns, chosen, inside),
    )
    return LinkSpace(columns, chosen, notes, levels)


def constant_notes(
    inside: Rows, space: LinkSpace, codes: Codes, domains: Sequence[Hashable]
) -> Iterator[str]:
    """Columns that vary elsewhere but never in some domain.

    Args:
        inside: the modelled columns.
        space: their links.
        codes: the domain of each row.
        domains: what the domains are called.
    """
    for i, d in enumerate(domains):
        rows = inside[codes == i]
        counts = np.array(different_values(rows)) if len(rows) > 2 else np.full(inside.shape[1], 2)
        if same := [n for n, c in zip(space.columns.inside, counts, strict=True) if c == 1]:
            listed = ", ".join(map(repr, same[:FEW_VALUES]))
            more = f" and {len(same) - FEW_VALUES} more" if len(same) > FEW_VALUES else ""
            yield (
                f"domain {d!r} has one value only of {listed}{more}: these are taken to vary there "
                "as they do elsewhere, about that value."
            )


def different_values(x: Float[np.ndarray, "n m"]) -> list[int]:
    """How many different values each column takes, not counting NaN."""
    counts: list[int] = []
    for block in column_blocks(x):
        ascending = np.sort(x[:, block], axis=0)  # NaN comes last
        new = (ascending[1:] != ascending[:-1]) & ~np.isnan(ascending[1:])
        counts += (new.sum(axis=0) + ~np.isnan(ascending[0])).tolist()
    return counts


def _answer_type(link: Link, dtype: np.dtype) -> np.dtype:
    """The column's own type, unless answers are fractions and it holds whole numbers only."""
    if link.shape == "levels":
        return np.dtype(float)
    return dtype if link.whole or dtype.kind == "f" else np.dtype(float)


def _notes(columns: Columns, inside: Rows, levels: Levels) -> Iterator[str]:
    if columns.carried:
        yield f"columns {columns.carried} never vary: they are carried through unchanged."
    counts = different_values(inside)
    counted = [(n, c) for n, c in zip(columns.inside, counts, strict=True) if n not in levels]
    if few := [name for name, count in counted if count < FEW_VALUES]:
        yield (
            f"columns {few} take fewer than {FEW_VALUES} values, and the model is a continuous "
            "one: leave them out if they are codes rather than amounts."
        )
