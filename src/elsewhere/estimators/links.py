"""Links: from a column's own scale to the whole real line, and back into the column's range."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Float

LEVELS = "levels"
Column = Float[np.ndarray, " n"]
Values = Float[np.ndarray, "..."]
Given = float | Values
Shape = Literal["identity", "log", "softplus", "logit", "levels"]


@dataclass(frozen=True)
class Link:
    """y = (h(x) − centre)/unit with h increasing, and x back within [low, high].

    Attributes:
        shape: h. "identity" x; "log" log(x − low + pad); "softplus" the inverse of softplus, which
            is x itself some `bend` above low; "logit" log((x − low + pad)/(high − x + pad));
            "levels" the normal score of level number x.
        low: the column's lower bound; −inf for "identity".
        high: its upper bound; inf unless "logit".
        pad: keeps values that touch a bound finite; 0 where none does.
        bend: the width over which "softplus" bends.
        whole: whether answers are rounded to whole numbers.
        centre: the mean of h.
        unit: the standard deviation of h.
        cuts: of "levels", the scores that part each level from the next; else none.
        zeros: whether 0 is apart from all amounts: it has no y (NaN), and no y leads to it.
        too_low: a value below it counts as `lowest`.
        lowest: the least usual value.
        highest: the largest usual value.
        too_high: a value above it counts as `highest`.
    """

    shape: Shape = "identity"
    low: float = -np.inf
    high: float = np.inf
    pad: float = 0.0
    bend: float = 1.0
    whole: bool = False
    centre: float = 0.0
    unit: float = 1.0
    cuts: tuple[float, ...] = ()
    zeros: bool = False
    too_low: float = -np.inf
    lowest: float = -np.inf
    highest: float = np.inf
    too_high: float = np.inf

    def forward(self, x: Column) -> Column:
        """y; NaN where x is missing, and where it is a zero that is apart."""
        return (self._h(self._counted(x)) - self.centre) / self.unit

    def inverse(self, y: Column, dtype: np.dtype | type = np.float64) -> np.ndarray:
        """x of that type, rounded where the column is whole, always a number within its bounds."""
        x = self._h_inverse(y * self.unit + self.centre)
        rounded = np.rint(x) if self.whole or np.dtype(dtype).kind in "iu" else x
        return _clipped(rounded, *self.range_in(np.dtype(dtype)), np.dtype(dtype))

    def overflows(self, y: Column, dtype: np.dtype | type = np.float64) -> np.ndarray:
        """Where x is larger than any number of that type, though the column has no such bound.

        Where it is none at all, too: bounds near the largest number leave no room between them.
        """
        x, kind = self._h_inverse(y * self.unit + self.centre), np.dtype(dtype)
        limits = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
        above = (x > float(limits.max)) & np.isinf(self.high)
        return np.isnan(x) | above | ((x < float(limits.min)) & np.isinf(self.low))

    def log_slope(self, x: Column) -> Column:
        """log ∂y/∂x."""
        return self._log_h_slope(self._counted(x)) - np.log(self.unit)

    @property
    def counts_all(self) -> bool:
        """Whether every value counts as it is."""
        return self.too_low == -np.inf and self.too_high == np.inf

    @property
    def forward_of_zero(self) -> float:
        """Where 0 would be if nothing bent near it, for "softplus" above 0; else NaN."""
        known = self.shape == "softplus" and self.low == 0
        return (self.pad - self.centre) / self.unit if known else np.nan

    def standardised(self, x: Column) -> "Link":
        """The same link with the centre and unit of these values."""
        h = self._h(x)
        return replace(self, centre=float(h.mean()), unit=float(h.std()) or 1.0)

    def allows(self, x: Column) -> np.ndarray:
        """Which values it can take: those inside its bounds, the bounds too where it has a pad."""
        if self.pad > 0 or self.zeros:
            return (x >= self.low) & (x <= self.high)
        return (x > self.low) & (x < self.high)

    def __str__(self) -> str:
        whole = ("0, or " if self.zeros else "") + ("whole numbers, " if self.whole else "")
        if self.shape == "levels":
            return f"{len(self.cuts) + 1} ordered levels"
        bounds = {
            "identity": "unbounded",
            "logit": f"within {self.low:g} … {self.high:g}",
            "softplus": f"above {self.low:g}",
            "log": f"above {self.low:g}, by ratios",
        }
        return whole + bounds[self.shape]

    def _counted(self, x: Column) -> Column:
        """What the values count as: NaN for zeros that are apart, none too far out."""
        amounts = np.where(x == 0, np.nan, x) if self.zeros else x
        if self.counts_all:
            return amounts
        return counted(amounts, self.too_low, self.lowest, self.highest, self.too_high)

    def _h(self, x: Column) -> Column:
        if self.shape == "levels":
            return _at(self.scores, x)
        return h(self.shape, x, self.low, self.high, self.pad, self.bend)

    def _h_inverse(self, h: Column) -> Column:
        if self.shape == "identity":
            return h
        if self.shape == "levels":
            return np.searchsorted(self.cuts, h).astype(float)
        start = self.low - self.pad
        if self.shape == "log":
            with np.errstate(over="ignore"):  # clipped to the largest number of the column's type
                return start + np.exp(h)
        if self.shape == "logit":
            from scipy.special import expit

            with np.errstate(invalid="ignore"):  # 0 of an infinite room, which `overflows` names
                return start + (self.high - self.low + 2 * self.pad) * expit(h)
        return start + self.bend * np.logaddexp(0.0, h / self.bend)

    def _log_h_slope(self, x: Column) -> Column:
        return log_h_slope(self.shape, x, self.low, self.high, self.pad, self.bend)

    @property
    def scores(self) -> np.ndarray:
        """Φ⁻¹ of the middle of each level's ranks."""
        from scipy.special import ndtr, ndtri

        ranks = np.array([0.0, *ndtr(self.cuts), 1.0])
        return ndtri((ranks[1:] + ranks[:-1]) / 2)

    def range_in(self, dtype: np.dtype) -> tuple[float, float]:
        """The smallest and largest value of this type that the column may take."""
        if self.zeros and self.whole:
            return 1.0, min(np.floor(self.high), _largest(dtype))
        if dtype.kind in "iu":
            least, most = float(np.iinfo(dtype).min), _largest(dtype)
            return max(np.ceil(self.low), least), min(np.floor(self.high), most)
        limits = np.finfo(dtype)
        is_open = (self.pad == 0 or self.zeros) and self.shape != "identity"
        low = _just_inside(max(self.low, float(limits.min)), dtype, np.inf, is_open)
        if self.high > limits.max:
            return low, float(limits.max)
        return low, _just_inside(self.high, dtype, -np.inf, is_open)


def counted(x: Values, too_low: Given, lowest: Given, highest: Given, too_high: Given) -> Values:
    """Values, those too far out replaced by the farthest usual one; NaN stays."""
    return np.where(x < too_low, lowest, np.where(x > too_high, highest, x))


def h(
    shape: Shape,
    x: Values,
    low: Given = 0.0,
    high: Given = np.inf,
    pad: Given = 0.0,
    bend: Given = 1.0,
) -> Values:
    """h(x) of any shape but "levels", for columns with parameters of their own."""
    if shape == "identity":
        return x
    above = x - low + pad
    if shape == "log":
        return np.log(above)
    if shape == "logit":
        return np.log(above) - np.log(high - x + pad)
    return above + bend * np.log(-np.expm1(-above / bend))


def log_h_slope(
    shape: Shape,
    x: Values,
    low: Given = 0.0,
    high: Given = np.inf,
    pad: Given = 0.0,
    bend: Given = 1.0,
) -> Values:
    """log ∂h/∂x, likewise; 0 for "levels"."""
    if shape in ("identity", "levels"):
        return np.zeros_like(x)
    above = x - low + pad
    if shape == "log":
        return -np.log(above)
    if shape == "logit":
        return np.log(1 / above + 1 / (high - x + pad))
    return -np.log(-np.expm1(-above / bend))


def levels_link(x: Column, count: int) -> Link:
    """Levels 0 … count − 1 at the middle of their ranks, and back by thresholds."""
    from scipy.special import ndtri

    counts = np.bincount(x.astype(int), minlength=count) + 0.5  # so that each has some room
    cuts = ndtri(np.cumsum(counts)[:-1] / counts.sum())
    link = Link(LEVELS, 0.0, count - 1.0, 0.5, whole=True, cuts=tuple(map(float, cuts)))
    return link.standardised(x)


def _at(scores: np.ndarray, x: Column) -> Column:
    """The score of every level, NaN where it is missing."""
    there = ~np.isnan(x)
    found = np.full(len(x), np.nan)
    found[there] = scores[x[there].astype(int)]
    return found


def _just_inside(bound: float, dtype: np.dtype, inwards: float, is_open: bool) -> float:
    """The bound in this type, or its inner neighbour where the bound is out or no value itself."""
    value = dtype.type(bound)
    outside = float(value) < bound if inwards > 0 else float(value) > bound
    touching = is_open and float(value) == bound
    return float(np.nextafter(value, dtype.type(inwards)) if outside or touching else value)


def _largest(dtype: np.dtype) -> float:
    """The largest float64 that the type holds."""
    if dtype.kind == "f":
        return float(np.finfo(dtype).max)
    most = float(np.iinfo(dtype).max)
    return most if int(most) <= np.iinfo(dtype).max else float(np.nextafter(most, 0))


def _clipped(x: Column, low: float, high: float, dtype: np.dtype) -> np.ndarray:
    return np.clip(x, low, high).astype(dtype)
