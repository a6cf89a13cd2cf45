"""Columns that never vary in some domain: no scale of theirs can be undone, so none is assumed."""

from collections.abc import Hashable, Mapping

import numpy as np
from jaxtyping import Bool, Float

LEAST_ROWS = 3  # below which a domain says nothing of scales anyway
SMALLEST = 1e-9  # of a column's variance, so that covariances can be inverted
NARROW = 40  # columns up to which a column follows the others
Tables = Mapping[Hashable, Float[np.ndarray, "_ p"]]


def constant_in(table: Float[np.ndarray, "n p"]) -> Bool[np.ndarray, " p"]:
    """Which columns never vary, in a table with rows enough to tell."""
    if len(table) < LEAST_ROWS:
        return np.zeros(table.shape[1], bool)
    return np.ptp(table, axis=0) == 0


def varied(tables: Tables) -> Tables:
    """The tables, a column that never varies in a domain varying about its value as elsewhere.

    Its rows are drawn given the other columns of their row, so that neither a scale nor a turn is
    found where none can be seen. The same rows always give the same draws.
    """
    constant = {d: constant_in(table) for d, table in tables.items()}
    if not any(gone.any() for gone in constant.values()):
        return tables
    away = {d: table - table.mean(axis=0) for d, table in tables.items()}
    return {
        d: table + _drawn(away[d], gone, _within(away, constant)) if gone.any() else table
        for (d, table), gone in zip(tables.items(), constant.values(), strict=True)
    }


def _within(
    away: Tables, constant: Mapping[Hashable, Bool[np.ndarray, " p"]]
) -> Float[np.ndarray, "p p"]:
    """The covariance within domains, of each two columns where both vary."""
    p = len(next(iter(constant.values())))
    total, rows = np.zeros((p, p)), np.zeros((p, p))
    for d, table in away.items():
        there = (~constant[d]).astype(float)
        total += table.T @ table
        rows += max(len(table) - 1, 0) * np.outer(there, there)
    return total / np.maximum(rows, 1.0)


def _drawn(
    away: Float[np.ndarray, "n p"], gone: Bool[np.ndarray, " p"], within: Float[np.ndarray, "p p"]
) -> Float[np.ndarray, "n p"]:
    """What a constant column would vary by, with mean 0 over the rows; 0 in all others."""
    rng, found = np.random.default_rng(0), np.zeros_like(away)
    own = within[np.ix_(gone, gone)]
    expected = np.zeros((len(away), int(gone.sum())))
    if len(gone) <= NARROW and not gone.all():
        known = within[np.ix_(~gone, ~gone)]
        known = known + SMALLEST * np.diag(np.maximum(np.diag(known), 1e-300))
        weights = np.linalg.lstsq(known, within[np.ix_(~gone, gone)], rcond=None)[0]
        expected, own = away[:, ~gone] @ weights, own - within[np.ix_(gone, ~gone)] @ weights
    values, vectors = np.linalg.eigh((own + own.T) / 2)
    noise = rng.standard_normal(expected.shape) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    found[:, gone] = expected + noise - (expected + noise).mean(axis=0)
    return found
