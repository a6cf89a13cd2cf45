"""From covariates to the columns of a regression, Z: centred, and white within domains."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from elsewhere.covariates.columns import Column, column_of

Rows = Float[np.ndarray, "n q"]
Columns = Float[np.ndarray, "n _"]
Term = tuple[int, ...]


@dataclass(frozen=True)
class Basis:
    """Products of the bases of one or two covariates each.

    Attributes:
        columns: the covariates.
        terms: which of them each term multiplies.
    """

    columns: tuple[Column, ...]
    terms: tuple[Term, ...]

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The covariates that a question must have."""
        return tuple(column.name for column in self.columns)

    def raw(self, frame: pd.DataFrame) -> Rows:
        """All terms' columns, side by side."""
        bases = self.bases(frame)
        return np.concatenate([_product([bases[i] for i in term]) for term in self.terms], axis=1)

    def bases(self, frame: pd.DataFrame) -> list[Columns]:
        """The basis of every covariate on its own."""
        return [column.basis(column_of(frame, column.name)) for column in self.columns]

    def owners(self, frame: pd.DataFrame) -> list[Term]:
        """Of every column of `raw` the covariates that it is made of."""
        widths = [basis.shape[1] for basis in self.bases(frame)]
        counts = [int(np.prod([widths[i] for i in term])) for term in self.terms]
        return [term for term, count in zip(self.terms, counts, strict=True) for _ in range(count)]


@dataclass(frozen=True)
class Design:
    """Z = (raw − centre) turn, whose covariance within domains is the identity."""

    basis: Basis
    centre: Float[np.ndarray, " b"]
    turn: Float[np.ndarray, "b q"]

    def rows(self, frame: pd.DataFrame) -> Rows:
        """Z of every row."""
        return (self.basis.raw(frame) - self.centre) @ self.turn


def whitened(basis: Basis, frame: pd.DataFrame, codes: Int[np.ndarray, " n"]) -> Design:
    """The design of these rows; directions that are the sum of others are left out."""
    raw = basis.raw(frame)
    centre = raw.mean(axis=0)
    within = within_domains(raw, codes)
    freedom = max(len(raw) - len(np.unique(codes)), 1)
    unit = np.sqrt((within**2).sum(axis=0) / freedom)
    unit = np.where(unit > 0, unit, 1.0)
    values, vectors = np.linalg.eigh((within / unit).T @ (within / unit) / freedom)
    kept = values > 1e-9 * values.max(initial=1e-300)
    return Design(basis, centre, vectors[:, kept] / np.sqrt(values[kept]) / unit[:, None])


def within_domains(
    rows: Float[np.ndarray, "n b"], codes: Int[np.ndarray, " n"]
) -> Float[np.ndarray, "n b"]:
    """Each row less the mean of its domain."""
    order = np.argsort(codes, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    answer = np.empty_like(rows, float)
    for a, b in pairwise(ends):
        part = order[a:b]
        answer[part] = rows[part] - rows[part].mean(axis=0) if len(part) else rows[part]
    return answer


def _product(bases: list[Columns]) -> Columns:
    """Every column of the first times every column of the second."""
    answer = bases[0]
    for basis in bases[1:]:
        answer = (answer[:, :, None] * basis[:, None, :]).reshape(len(answer), -1)
    return answer
