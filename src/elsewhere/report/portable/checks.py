"""Rows with Python's own answers, by which a page finds out whether it computes the same."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from elsewhere.trust.case import Case

QUANTILES = (0.2, 0.5, 0.8)
MOST_DOMAINS = 4


def checks(case: Case, targets: Sequence[Hashable]) -> list[dict[str, str]]:
    """Made-up rows of some domains and the answers for some targets, as the text of CSV files.

    Every cell is a quantile of its column, so that no row is that of anyone.
    """
    reached = dict.fromkeys([*targets[: MOST_DOMAINS - 1], *targets[-1:]])
    sources = list(case.given)[:MOST_DOMAINS]
    return [_check(case, d, e) for d in sources for e in reached if d != e]


def _check(case: Case, source: Hashable, target: Hashable) -> dict[str, str]:
    X = _quantiles(case, _framed(case.given[source]))
    asked: dict[str, Any] = {}
    if case.estimator.covariates_ is not None:
        asked = {"covariates": _quantiles(case, _framed(case.covariates[source]))}
    rows = X if case.estimator.space_.columns.named else X.to_numpy()
    moved = case.estimator.counterfactual(rows, source=source, target=target, **asked)
    before, after = (pd.concat([_framed(part), *asked.values()], axis=1) for part in (X, moved))
    ends = {"from": str(source), "to": str(target)}
    return ends | {"before": before.to_csv(index=False), "after": after.to_csv(index=False)}


def _quantiles(case: Case, X: pd.DataFrame) -> pd.DataFrame:
    """A row for each quantile: of every column the value at that rank."""
    levels, picked = case.estimator.space_.levels, {}
    for j, name in enumerate(X.columns):
        column = X.iloc[:, j]
        order = np.argsort(_ranked(column, levels.get(name, ())), kind="stable")
        places = [order[int(q * (len(column) - 1))] for q in QUANTILES]
        picked[j] = column.iloc[places].reset_index(drop=True)
    return pd.DataFrame(picked).set_axis(X.columns, axis=1)


def _ranked(column: pd.Series, levels: Sequence[Any]) -> np.ndarray:
    """What sorts the column: numbers, the order of its levels, or text."""
    if levels:
        places = {level: place for place, level in enumerate(levels)}
        return np.array([places[value] for value in column])
    numbers = pd.api.types.is_numeric_dtype(column.dtype)
    return column.to_numpy() if numbers else column.astype(str).to_numpy(str)


def _framed(X: Any) -> pd.DataFrame:
    return X.reset_index(drop=True) if hasattr(X, "iloc") else pd.DataFrame(np.asarray(X))
