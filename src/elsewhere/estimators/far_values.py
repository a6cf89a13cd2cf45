"""Values so far from all others that one of them decides the fit of its column."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from elsewhere.estimators.columns import Columns, Kind, where
from elsewhere.estimators.links import Link

FAR = 200.0  # distances between the deciles; normal values stay within 3
RARE = 0.01  # of the rows; more are no accident


def far_values(
    X: Kind, columns: Columns, links: Sequence[Link], inside: Float[np.ndarray, "n m"]
) -> Iterator[str]:
    """A note on the farthest value of each column that has one, by row and name."""
    places = np.flatnonzero(columns.modelled)
    for j, link, column in zip(places, links, inside.T, strict=True):
        y = link.forward(column)
        low, middle, high = np.quantile(y, [0.1, 0.5, 0.9])
        away = np.abs(y - middle) / (high - low) if high > low else np.zeros_like(y)
        if not 0 < (count := int((away > FAR).sum())) <= max(1, RARE * len(y)):
            continue
        row = int(np.argmax(away))
        others = "" if count == 1 else f" ({count} such values in all)"
        yield (
            f"{where(X, row, int(j))} holds {column[row]:g}, {away[row]:.2g} times as far from the "
            f"middle as most values lie from one another{others}: it may hide how the domains "
            "differ. Correct it, or leave it out."
        )
