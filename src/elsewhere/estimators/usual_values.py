"""Values too far out to be amounts like the others: they count as the farthest usual one."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.estimators.columns import Columns as Table
from elsewhere.estimators.columns import where
from elsewhere.estimators.links import Link

TAIL = 0.1  # of the rows on one side of the middle lie beyond the quantile that distances are in
FEWEST = 10  # rows on that side, below which nothing is known of a tail
REACH = 1.3  # × log of these rows: an exponential tail reaches log rows/log 10 = 0.43 log rows
LEAST_REACH = 3.0  # of these distances
MOST_ROWS = 20_000  # that are looked at to find the middle and the tail
SHOWN = 3
Columns = Float[np.ndarray, "m n"]
Each = Float[np.ndarray, " m"]


def usual_ranges(x: Columns, codes: Codes) -> Float[np.ndarray, "4 m"]:
    """(too_low, lowest, highest, too_high) of each column; infinite where no value is beyond.

    Values below too_low count as `lowest`, the least that is not, and those above too_high as
    `highest`. Distances are from the middle of a row's own domain, and ratios where a column is
    never negative: sizes differ by factors, and there the largest is no mistake. A tail is followed
    three times as far as an exponential one reaches with as many rows; beyond, values
    are so rare that a typing error or a fault is likelier. One that is none is pulled in by this,
    which costs no more than the spread that it makes; one that is would cost any amount.
    """
    amounts = np.nanmin(x, axis=1, initial=np.inf) >= 0
    pads = _pads(x, amounts)
    y = np.where(amounts[:, None], np.log(np.where(amounts[:, None], x, 1.0) + pads[:, None]), x)
    step = -(-x.shape[1] // MOST_ROWS)
    middles = _middles(y[:, ::step], codes[::step], int(codes.max()) + 1)
    seen = y[:, ::step] - middles[:, codes[::step]]
    high = np.nanmax(middles, axis=1) + _reach(seen)
    low = np.nanmin(middles, axis=1) - np.where(amounts, np.inf, _reach(-seen))
    far_up, far_down = y > high[:, None], y < low[:, None]
    with np.errstate(over="ignore"):
        too_high = np.where(amounts, np.exp(np.where(amounts, high, 0.0)) - pads, high)
    up, down = far_up.any(axis=1), far_down.any(axis=1)
    return np.stack(
        [
            np.where(down, low, -np.inf),
            np.where(down, np.nanmin(x, axis=1, initial=np.inf, where=~far_down), -np.inf),
            np.where(up, np.nanmax(x, axis=1, initial=-np.inf, where=~far_up), np.inf),
            np.where(up, too_high, np.inf),
        ]
    )


def usual_notes(
    X: Any, columns: Table, links: Sequence[Link], x: Float[np.ndarray, "n m"]
) -> Iterator[str]:
    """Which values count as less than they are; the farthest of a column by its row."""
    places = np.flatnonzero(columns.modelled).tolist()
    for place, link, column in zip(places, links, x.T, strict=True):
        rows = np.flatnonzero(_beyond(link, column))
        rows = rows[np.argsort(-np.abs(column[rows]), kind="stable")]
        if beyond := [*dict.fromkeys(column[rows].tolist())]:
            listed = ", ".join(f"{value:g}" for value in beyond[:SHOWN])
            more = f" and {len(beyond) - SHOWN} more" if len(beyond) > SHOWN else ""
            kept = " to ".join(f"{v:g}" for v in (link.lowest, link.highest) if np.isfinite(v))
            them, are = (
                ("it", "it is a mistake") if len(rows) == 1 else ("them", "they are mistakes")
            )
            yield (
                f"{where(X, int(rows[0]), place)} holds {listed}{more}, too far from all others to "
                f"be amounts like them: where they are moved, they count as {kept}. Correct {them} "
                f"if {are}; if not, leave such rows out."
            )


def _beyond(link: Link, column: np.ndarray) -> Bool[np.ndarray, " n"]:
    return (column < link.too_low) | (column > link.too_high)


def _pads(x: Columns, amounts: Bool[np.ndarray, " m"]) -> Each:
    """Half of the smallest amount where some are 0, else 0."""
    least = np.min(x, axis=1, initial=np.inf, where=x > 0)
    half = np.where(np.isfinite(least), 0.5 * least, 1.0)
    return np.where(amounts & (x == 0).any(axis=1), half, 0.0)


def _middles(y: Columns, codes: Codes, domains: int) -> Float[np.ndarray, "m D"]:
    """The median of every domain, of all rows where it has none."""
    found = [np.full(len(y), np.nan)] * domains
    for d in np.unique(codes):
        rows = y[:, codes == d]
        gaps = np.isnan(rows).any()
        found[d] = _median_of_known(rows) if gaps else np.median(rows, axis=1)
    return np.stack(found, axis=1)


def _median_of_known(rows: Columns) -> Each:
    ordered, known = np.sort(rows, axis=1), (~np.isnan(rows)).sum(axis=1)
    middle = np.maximum(known - 1, 0) // 2
    return np.take_along_axis(ordered, middle[:, None], axis=1)[:, 0]


def _reach(away: Columns) -> Each:
    """How far above 0 usual values lie; infinite where there are too few to tell."""
    above = np.where(away > 0, away, 0.0)  # NaN is not
    counts = (above > 0).sum(axis=1)
    places = away.shape[1] - 1 - np.floor(TAIL * counts).astype(int)
    quantile = np.take_along_axis(np.sort(above, axis=1), places[:, None], axis=1)[:, 0]
    reach = np.maximum(REACH * np.log(np.maximum(counts, 1)), LEAST_REACH)
    return np.where(counts >= FEWEST, reach * quantile, np.inf)
