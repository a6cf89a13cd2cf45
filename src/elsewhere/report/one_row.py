"""One row before and after, with its interval: what the answer means for a single sample."""

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from elsewhere.errors import AssumptionError
from elsewhere.escaping import Html
from elsewhere.estimators import DomainCounterfactual
from elsewhere.report.blocks import heading, paragraph, table
from elsewhere.trust.case import Case, Pair
from elsewhere.trust.moves import values_of
from elsewhere.trust.tables import Trust

COLUMNS, LEVEL = 12, 0.9


class MovedCell(NamedTuple):
    """One column of the row: as seen, as it would have been, and where that lies likely.

    Of levels that have names, all four are places among these.
    """

    column: str
    before: float
    after: float
    low: float | None
    high: float | None
    levels: tuple[str, ...] = ()

    def said(self, value: float, width: float = 0.0) -> str:
        """One of them in words, to the digits that an interval of this width gives sense to."""
        if self.levels and value == value:
            return self.levels[int(value)]
        return as_sure_as(value, width)


def one_row(case: Case, trust: Trust) -> list[Html]:
    """The row whose move is the median one, for the pair of domains that differs most."""
    pair = next(iter(trust.moves.by_pair()))
    row, named, kept = _typical(case, pair)
    cells = row_cells(case.estimator, row, source=pair[0], target=pair[1], **kept)
    shown = sorted(cells, key=lambda cell: -_size(case, cell))[:COLUMNS]
    more = f" The {COLUMNS} of {len(cells)} columns that move most." if len(cells) > COLUMNS else ""
    text = f"A typical row of {pair[0]}{named}, as if it had come from {pair[1]}.{more}"
    return [
        heading("One row, before and after"),
        paragraph(text),
        table(row_table(shown, pair[0], pair[1]), "fixed"),
    ]


def row_table(cells: list[MovedCell], source: Hashable, target: Hashable) -> list[list[str]]:
    """The cells as text; the interval only where it is known."""
    known = any(cell.low is not None for cell in cells)
    head = ["column", f"seen in {source}", f"as if from {target}"]
    if not known:
        return [head, *([c.column, c.said(c.before), c.said(c.after)] for c in cells)]
    return [[*head, "90 % interval"], *(_with_interval(cell) for cell in cells)]


def _with_interval(cell: MovedCell) -> list[str]:
    """The answer has no more digits than its interval gives sense to."""
    low, high = cell.low or 0.0, cell.high or 0.0
    after, *ends = (cell.said(value, high - low) for value in (cell.after, low, high))
    return [cell.column, cell.said(cell.before), after, " to ".join(ends)]


def row_cells(
    estimator: DomainCounterfactual,
    row: Any,
    *,
    source: Hashable,
    target: Hashable,
    covariates: Any = None,
) -> list[MovedCell]:
    """Every modelled column of a table of one row, moved; NaN where an entry is missing."""
    asked = {"source": source, "target": target, "covariates": covariates}
    space, rows = estimator.space_, [row, estimator.counterfactual(row, **asked)]
    try:
        rows += estimator.interval(row, **asked, level=LEVEL)
        before, after, low, high = (space.numbers(X)[0].tolist() for X in rows)
    except AssumptionError:
        before, after = (space.numbers(X)[0].tolist() for X in rows)
        low = high = [None] * len(before)
    names = [(str(name), space.level_names(name)) for name in space.columns.inside]
    return [
        MovedCell(name, before[j], after[j], low[j], high[j], levels)
        for j, (name, levels) in enumerate(names)
    ]


def number(value: float) -> str:
    """Four digits, and never more than that after the point; a dash where there is none."""
    return "–" if value != value else f"{value:.4g}"


def as_sure_as(value: float, width: float) -> str:
    """The value to the second digit of the width of its interval, whole numbers at least."""
    if not (1e-6 < width < np.inf and abs(value) < 1e9):
        return number(value)
    places = 0 if value.is_integer() else max(0, 1 - int(np.floor(np.log10(width))))
    return f"{round(value, places) + 0.0:.{places}f}"


def _typical(case: Case, pair: Pair) -> tuple[Any, str, dict[str, Any]]:
    """(the row, what it is called, its covariates where the fit has kept any)."""
    sizes = np.square((case.moved[pair] - case.linked[pair[0]]) / case.unit).sum(axis=1)
    place = int(np.argsort(sizes)[len(sizes) // 2])
    X = case.given[pair[0]]
    kept = {}
    if case.estimator.covariates_ is not None:
        kept = {"covariates": case.covariates[pair[0]].iloc[[place]]}
    if hasattr(X, "iloc"):
        return X.iloc[[place]], f" (row {X.index[place]})", kept
    return np.asarray(X)[[place]], "", kept


def _size(case: Case, cell: MovedCell) -> float:
    j = case.names.index(cell.column)
    spread = np.concatenate([values_of(case, X)[:, j] for X in case.given.values()]).std()
    return abs(cell.after - cell.before) / (float(spread) or 1.0)
