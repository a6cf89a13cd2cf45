"""Values so far from all others that one of them decides the fit of its column."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from elsewhere.estimators.columns import Columns, Kind, where
from elsewhere.estimators.links import Link

FAR = 200.0  # distances between the deciles; normal values stay within 3
RARE = 0.01  # of the rows; more are no accident
BLOCK = 1 << 22  # values at a time


def column_blocks(x: Float[np.ndarray, "n m"]) -> Iterator[slice]:
    """The columns of a table, as many together as make no large copy."""
    size = max(1, BLOCK // max(len(x), 1))
    return (slice(start, start + size) for start in range(0, x.shape[1], size))


def far_values(
    X: Kind, columns: Columns, links: Sequence[Link], inside: Float[np.ndarray, "n m"]
) -> Iterator[str]:
    """A note on the farthest value of each column that has one, by row and name."""
    places = np.flatnonzero(columns.modelled)
    for block in column_blocks(inside):
        away = _away(links[block], inside[:, block])
        counts = (away > FAR).sum(axis=0)
        for i in np.flatnonzero((counts > 0) & (counts <= max(1, RARE * len(away)))):
            row, j = int(np.argmax(away[:, i])), block.start + int(i)
            others = "" if counts[i] == 1 else f" ({counts[i]} such values in all)"
            yield (
                f"{where(X, row, int(places[j]))} holds {inside[row, j]:g}, {away[row, i]:.2g} "
                f"times as far from the middle as most values lie from one another{others}: it "
                "may hide how the domains differ. Correct it, or leave it out."
            )


def _away(links: Sequence[Link], x: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
    """|y − median| in distances between the deciles; 0 where these are the same, or NaN."""
    y = np.stack([link.forward(column) for link, column in zip(links, x.T, strict=True)], axis=1)
    low, middle, high = np.quantile(y, [0.1, 0.5, 0.9], axis=0)
    wide = high > low
    away = np.zeros_like(y)
    away[:, wide] = np.abs(y - middle)[:, wide] / (high - low)[wide]
    return away
