"""What one can do with pairs: regressions on half of the samples, seen in both domains."""

from importlib import import_module
from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elsewhere.experiments.real.split import Answer, PairedSplit

Rows = Float[np.ndarray, "n p"]


def ridge(split: PairedSplit) -> Answer:
    """x_d' regressed on x_d, standardised; the penalty by leave-one-out cross-validation."""

    def answer(d: int, e: int) -> Rows:
        x, y = split.seen_pairs(d, e)
        model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-4, 6, 21)))
        return model.fit(x, y).predict(split.tables[d])

    return answer


def direct(split: PairedSplit) -> Answer:
    """Direct standardisation of chemotools: least squares between whole rows."""
    return _chemotools(split, import_module("chemotools.adaptation").DirectStandardization())


def piecewise(split: PairedSplit) -> Answer:
    """Piecewise direct standardisation of chemotools: least squares in windows of columns."""
    model = import_module("chemotools.adaptation").PiecewiseDirectStandardization()
    return _chemotools(split, model)


def _chemotools(split: PairedSplit, model: Any) -> Answer:
    """Its "source" is the instrument that rows are moved to."""

    def answer(d: int, e: int) -> Rows:
        x, y = split.seen_pairs(d, e)
        return np.asarray(model.fit(x, X_source=y).transform(split.tables[d]), float)

    return answer
