"""Intervals for counterfactuals in a table's own units, calibrated by held-out pairs."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from elsewhere.estimators import DomainCounterfactual, in_blocks
from elsewhere.evaluation.conformal import Intervals, Rows, calibrate


@dataclass(frozen=True)
class CounterfactualIntervals:
    """x_{d→d'} with an interval for each column that holds the truth as often as `level` says."""

    estimator: DomainCounterfactual
    source: Hashable
    target: Hashable
    intervals: Intervals

    def __call__(self, X: Any) -> tuple[Any, Any]:
        """(low, high) of every row, of the kind of X; they stay within each column's bounds."""
        predicted, widths = _answers(self.estimator, X, self.source, self.target)
        low, high = self.intervals.around(predicted, widths)
        return self.estimator.from_link_space(low, X), self.estimator.from_link_space(high, X)


def calibrated_intervals(
    estimator: DomainCounterfactual,
    X_source: Any,
    X_target: Any,
    *,
    source: Hashable,
    target: Hashable,
    level: float = 0.9,
    joint: bool = False,
) -> CounterfactualIntervals:
    """Split-conformal intervals in link space, where columns are unbounded; links keep order.

    Args:
        estimator: fitted without these pairs.
        X_source: rows seen in `source`.
        X_target: the same rows as they were in `target`.
        source: the domain the rows come from.
        target: the domain they are moved to.
        level: how often an interval must hold the truth.
        joint: whether one statement covers all columns of a row.
    """
    predicted, widths = _answers(estimator, X_source, source, target)
    observed = estimator.to_link_space(X_target)
    found = calibrate(predicted, observed, level=level, scale=widths, joint=joint)
    return CounterfactualIntervals(estimator, source, target, found)


def _answers(
    estimator: DomainCounterfactual, X: Any, source: Hashable, target: Hashable
) -> tuple[Rows, Rows]:
    """The preferred answer and the width of the spread, in link space."""
    y = estimator.to_link_space(X)
    models = [candidate.model for candidate in estimator.result_.candidates]
    every = np.stack([in_blocks.move(model, y, source, target) for model in models])
    return every[0], np.ptp(every, axis=0)
