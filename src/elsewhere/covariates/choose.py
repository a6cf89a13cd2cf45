"""Linear or smooth, alone or together: the simplest basis that the rows support."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.covariates.columns import Category, Column, Number, column_of
from elsewhere.covariates.design import Basis, within_domains

KNOTS = (3, 5)
FEWEST_PER_TERM = 4  # rows per column of the regression, at least


def chosen_basis(
    columns: Sequence[Column], frame: pd.DataFrame, y: Float[np.ndarray, "n p"], codes: Codes
) -> Basis:
    """Main effects first; then the splines and products that lower Schwarz's criterion most.

    The criterion is Σ_j N log σ_j² + q p log N over the columns j of the table, for regressions
    with an intercept for every domain.
    """
    basis = Basis(tuple(columns), tuple((i,) for i in range(len(columns))))
    inside = within_domains(y, codes)
    best = criterion(basis, frame, inside, codes)
    while True:
        tried = [(criterion(b, frame, inside, codes), b) for b in richer(basis, frame)]
        least = min(tried, key=lambda one: one[0], default=(np.inf, basis))
        if not least[0] < best:
            return basis
        best, basis = least


def richer(basis: Basis, frame: pd.DataFrame) -> Iterator[Basis]:
    """Every basis with one covariate smoother, or one product more."""
    for i, column in enumerate(basis.columns):
        if isinstance(column, Number):
            more = next((k for k in KNOTS if k > len(column.knots)), None)
            if more and column_of(frame, column.name).nunique() >= more:
                smooth = column.smooth(column_of(frame, column.name), more)
                yield replace(basis, columns=_with(basis.columns, i, smooth))
    for i, column in enumerate(basis.columns):
        for j in range(i + 1, len(basis.columns)):
            both = (column, basis.columns[j])
            if any(isinstance(c, Category) for c in both) and (i, j) not in basis.terms:
                yield replace(basis, terms=(*basis.terms, (i, j)))


def criterion(
    basis: Basis, frame: pd.DataFrame, inside: Float[np.ndarray, "n p"], codes: Codes
) -> float:
    """Σ_j N log σ_j² + q p log N, infinite where rows are too few."""
    z, (n, p) = within_domains(basis.raw(frame), codes), inside.shape
    q, domains = z.shape[1], len(np.unique(codes))
    if n < FEWEST_PER_TERM * (q + domains):
        return np.inf
    left = inside - z @ np.linalg.lstsq(z, inside, rcond=1e-9)[0]
    variances = np.maximum((left**2).mean(axis=0), 1e-12 * (inside**2).mean(axis=0))
    varies = variances > 0
    return float(n * np.log(variances[varies]).sum() + q * p * np.log(n))


def _with(columns: tuple[Column, ...], i: int, column: Column) -> tuple[Column, ...]:
    return (*columns[:i], column, *columns[i + 1 :])
