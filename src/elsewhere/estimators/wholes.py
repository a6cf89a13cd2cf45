"""The moments in link space of all rows, where only a sample of them is in memory."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elsewhere.datasets.ahead import each_ahead
from elsewhere.estimators.labels import codes_of
from elsewhere.estimators.link_space import Rows
from elsewhere.fitting import FitResult
from elsewhere.fitting.whole import Whole, Wholes

Batches = Iterable[tuple[Any, Any]]
NOTE = "means and covariances are those of all rows, in one pass over them."
OUTSIDE = (
    "means and covariances are those of the sample: other rows have gaps, or lie outside the "
    "bounds of their columns."
)


def wholes_of(
    batches: Batches, linked: Callable[[Any], Rows], names: Sequence[Hashable]
) -> Wholes | None:
    """Number, mean and scatter by domain; None where a row has a gap or lies outside its links.

    Args:
        batches: all rows, as (X, domains).
        linked: from X to link space.
        names: of the domains.
    """
    found: dict[Hashable, Whole] = {}
    try:
        for part in each_ahead(lambda rows: _wholes(rows[0], rows[1], linked, names), batches):
            for d, one in part.items():
                found[d] = found[d] + one if d in found else one
    except OutsideLinksError:
        return None
    return found


class OutsideLinksError(ValueError):
    """A row that the links of the sample have no place for."""


def _wholes(
    X: Any, domains: Any, linked: Callable[[Any], Rows], names: Sequence[Hashable]
) -> dict[Hashable, Whole]:
    codes = codes_of("domains", domains, len(X), names)
    try:
        y = linked(X)
    except ValueError as error:
        raise OutsideLinksError from error
    if np.isnan(y).any():
        raise OutsideLinksError
    return {names[i]: Whole.of(y[codes == i]) for i in np.unique(codes)}


def with_note(result: FitResult, wholes: Wholes | None) -> FitResult:
    """The result, which says of which rows the moments are."""
    return replace(result, notes=(*result.notes, OUTSIDE if wholes is None else NOTE))
