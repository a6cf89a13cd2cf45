"""Answers as the cells of a CSV file: with the decimals of the column, and untouched where kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.cell_bytes import decimals_of, is_plain, written_digits
from elsewhere.datasets.table_numbers import missing_as_null
from elsewhere.estimators import Link

LARGE = 2.0**40  # of n · 10^decimals
NEAR = 2.0**-51  # of n · 10^decimals, at least twice its rounding error
MOST_DECIMALS = 12  # decimals beyond which a number was written whole, by a computer


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written.

    Attributes:
        decimals: the most digits after the point; None where numbers are written in full.
        fixed: whether all have as many, zeros at the end included.
        point: whether whole numbers are written as 5.0.
    """

    decimals: int | None = 0
    fixed: bool = False
    point: bool = False

    def written(self, values: np.ndarray, link: Link | None = None) -> pa.Array:
        """The numbers as text; one that this would take out of the link's bounds stays whole."""
        if self.decimals is None:
            return self._whole(values)
        found, slowly = self._digits(values)
        found = _replaced(found, slowly, [self._one(v) for v in values[slowly].tolist()])
        if link is None or np.isinf([link.low, link.high]).all():
            return found
        outside = ~link.allows(found.cast(pa.float64()).to_numpy()) & np.isfinite(values)
        return _replaced(found, outside, [repr(v) for v in values[outside].tolist()])

    def _whole(self, values: np.ndarray) -> pa.Array:
        """The shortest text that reads as the number, as Python has it.

        Arrow writes fractions of usual size in the same way, and much faster.
        """
        size = np.abs(values)
        slowly = ~((size >= 1e-4) & (size < 1e9) & (values != np.rint(values)))
        found = pa.array(values).cast(pa.string())
        return _replaced(found, slowly, [self._one(v) for v in values[slowly].tolist()])

    def _digits(self, values: np.ndarray) -> tuple[pa.Array, np.ndarray]:
        """(every number as this style has it; which must be written slowly).

        Slow are those so near the middle of two that rounding n · 10^decimals may mislead, and
        those too large.
        """
        places = self.decimals or 0
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = values * 10.0**places
            rounded = np.rint(scaled)
            size = np.abs(scaled)
            sure = (size < LARGE) & (np.abs(np.abs(scaled - rounded) - 0.5) > NEAR * size)
        digits = np.where(sure, rounded, 0.0).astype(np.int64)
        found = written_digits(digits, places, fixed=self.fixed, point=self.point)
        return found, ~sure | (self.point and not places)

    def _one(self, value: float) -> str:
        if value != value:
            return "nan"
        if self.decimals is None:
            return repr(value)
        text = f"{value:.{self.decimals}f}"
        if self.decimals and not self.fixed:
            text = text.rstrip("0").rstrip(".")
        if self.point and "." not in text:
            text += ".0"
        return text.removeprefix("-") if float(text) == 0 else text


Measures = tuple[int, int, bool, bool, bool]


def style_of(measures: Iterable[Measures | None]) -> Style:
    """The style of a column of text, which comes in parts; None is a part without numbers."""
    seen = [measure for measure in measures if measure is not None]
    if any(exponent for *_, exponent in seen):
        return Style(None)
    least = min((style[0] for style in seen), default=0)
    most = max((style[1] for style in seen), default=0)
    if most > MOST_DECIMALS:
        return Style(None)
    zeros = any(style[2] for style in seen)
    fixed = most > 0 and (least == most or zeros)
    return Style(most, fixed, any(style[3] for style in seen))


def measured(column: pa.ChunkedArray) -> Measures | None:
    """(fewest decimals, most, some end in 0, some in .0 alone, some with an exponent)."""
    text = column.cast(pa.string())
    plain = is_plain(text)
    cells = (text if plain else missing_as_null(text).drop_null()).combine_chunks()
    if not len(cells):
        return None
    decimals = _decimals(cells)
    ends = pc.min_max(decimals).as_py()  # type: ignore[attr-defined]
    zero = pc.ends_with(cells, "0")  # type: ignore[attr-defined]
    longer, one = pc.greater(decimals, 1), pc.equal(decimals, 1)  # type: ignore[attr-defined]
    found = (pc.and_(zero, longer), pc.and_(zero, one))  # type: ignore[attr-defined]
    longer_zero, one_zero = (bool(pc.any(mask).as_py()) for mask in found)  # type: ignore[attr-defined]
    power = not plain and bool(pc.any(_powers(cells)).as_py())  # type: ignore[attr-defined]
    return ends["min"], ends["max"], longer_zero, one_zero, power


def _decimals(cells: pa.Array) -> pa.Array:
    """How many characters follow the point of each cell; 0 where there is none."""
    if (found := decimals_of(cells)) is not None:
        return pa.array(found)
    point = pc.find_substring(cells, ".")  # type: ignore[attr-defined]
    after = pc.subtract(pc.subtract(pc.binary_length(cells), point), 1)  # type: ignore[attr-defined]
    return pc.if_else(pc.less(point, 0), 0, after)  # type: ignore[attr-defined]


def _powers(cells: pa.Array) -> pa.Array:
    return pc.match_substring(cells, "e", ignore_case=True)  # type: ignore[attr-defined]


def _replaced(found: pa.Array, places: np.ndarray, texts: Sequence[str]) -> pa.Array:
    if not places.any():
        return found
    return pc.replace_with_mask(found, pa.array(places), pa.array(texts, pa.string()))  # type: ignore[attr-defined]
