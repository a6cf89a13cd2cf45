"""Answers as the cells of a CSV file: with the decimals of the column, and untouched where kept."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.table_numbers import missing_as_null
from elsewhere.estimators import Link

MOST = 12  # decimals beyond which a number was written whole, by a computer


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written.

    Attributes:
        decimals: at most so many; None where they are written whole.
        fixed: whether all have as many, zeros at the end included.
        point: whether whole numbers are written as 5.0.
    """

    decimals: int | None = 0
    fixed: bool = False
    point: bool = False

    def written(self, values: np.ndarray, link: Link | None = None) -> list[str]:
        """The numbers as text; one that this would take out of the link's bounds stays whole."""
        found = [self._one(value) for value in values.tolist()]
        if link is None or self.decimals is None:
            return found
        inside = link.allows(np.array(found, float)) | ~np.isfinite(values)
        return [
            t if good else repr(v)
            for t, v, good in zip(found, values.tolist(), inside, strict=True)
        ]

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


def style_of(columns: Iterable[pa.ChunkedArray]) -> Style:
    """The style of a column of text, which comes in parts."""
    styles = [_measured(column) for column in columns]
    seen = [style for style in styles if style is not None]
    if any(exponent for *_, exponent in seen):
        return Style(None)
    least = min((style[0] for style in seen), default=0)
    most = max((style[1] for style in seen), default=0)
    if most > MOST:
        return Style(None)
    zeros = any(style[2] for style in seen)
    fixed = most > 0 and (least == most or zeros)
    return Style(most, fixed, any(style[3] for style in seen))


def _measured(column: pa.ChunkedArray) -> tuple[int, int, bool, bool, bool] | None:
    """(fewest decimals, most, some end in 0, some in .0 alone, some with an exponent)."""
    cells = missing_as_null(column.cast(pa.string())).drop_null()
    if not len(cells):
        return None
    point = pc.find_substring(cells, ".")  # type: ignore[attr-defined]
    after = pc.subtract(pc.subtract(pc.utf8_length(cells), point), 1)  # type: ignore[attr-defined]
    decimals = pc.if_else(pc.less(point, 0), 0, after)  # type: ignore[attr-defined]
    ends = pc.min_max(decimals).as_py()  # type: ignore[attr-defined]

    def some(pattern: str) -> bool:
        return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())  # type: ignore[attr-defined]

    return ends["min"], ends["max"], some(r"\.\d+0$"), some(r"\.0$"), some("[eE]")
