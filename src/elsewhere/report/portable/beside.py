"""What a model is asked with, as plain data: covariates, and what rows tell of their gaps."""

from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from elsewhere.covariates import Covariates
from elsewhere.covariates.columns import Category, Column
from elsewhere.covariates.model import WIDEST
from elsewhere.gaps import GapModel
from elsewhere.gaps.conditional import SMALLEST, FactorCovariance, FullCovariance

Plain = dict[str, Any]


def plain_covariates(known: Covariates | None) -> Plain | None:
    """Everything that `static/covariates.js` needs; None where the fit has kept none."""
    if known is None:
        return None
    design = known.design
    return {
        "columns": [_column(column) for column in design.basis.columns],
        "terms": design.basis.terms,
        "centre": design.centre,
        "turn": design.turn,
        "coefficients": known.effects.coefficients,
        "stretch": known.stretch,
        "spread": known.spread if known.spread.any() else None,
        "widest": WIDEST,
        "centres": known.centres,
        "carried": known.carried,
        "rest_means": known.rest_means,
    }


def _column(column: Column) -> Plain:
    if isinstance(column, Category):
        return {"name": str(column.name), "levels": [str(level) for level in column.levels]}
    number = {"name": str(column.name), "centre": column.centre, "unit": column.unit}
    return number | {"knots": column.knots, "pieces": _pieces(column.knots)}


def _pieces(knots: tuple[float, ...]) -> list:
    """[power from 3 to 0, interval, spline]: cubics in the distance from the interval's start."""
    if not knots:
        return []
    rows = np.eye(len(knots))[:, 1:-1]
    return CubicSpline(np.array(knots), rows, bc_type="natural").c.tolist()


def plain_gaps(gaps: GapModel | None) -> Plain | None:
    """Means and covariances, and which columns a domain has never shown; see `static/gaps.js`."""
    if gaps is None:
        return None
    first = gaps.covariances[0]
    made: Plain = {"means": gaps.means, "unseen": gaps.unseen}
    if isinstance(first, FactorCovariance):
        scales = [c.scale for c in gaps.covariances if isinstance(c, FactorCovariance)]
        return made | {"loadings": first.loadings, "own": first.own, "scales": scales}
    matrices = [c.matrix for c in gaps.covariances if isinstance(c, FullCovariance)]
    return made | {"matrices": [m * (1 + SMALLEST * np.eye(len(m))) for m in matrices]}
