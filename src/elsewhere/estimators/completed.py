"""Rows with gaps on their way through a model: completed, moved, and their gaps put back."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool

from elsewhere.arrays import Codes
from elsewhere.estimators.columns import Kind, without_entries
from elsewhere.estimators.kept_covariates import Z, moving, put_in, whole
from elsewhere.estimators.link_space import LinkSpace, Rows
from elsewhere.estimators.sums import with_sums
from elsewhere.gaps import GapModel

if TYPE_CHECKING:
    from elsewhere.covariates import Covariates

DRAWS = 8  # of what gaps leave open, for the errors of answers
SHOWN = 5


def completed(y: Rows, gaps: GapModel | None, codes: Codes, *, drawn: bool = False) -> Rows:
    """What covariates leave of rows in link space, its gaps filled by expectation or by a draw."""
    if not np.isnan(y).any():
        return y
    if gaps is None:
        raise ValueError(
            "X must not hold missing values (NaN) for this model, which was saved by a version "
            "that did not learn from them. Fit it again, or leave such rows out."
        )
    return gaps.drawn(y, codes) if drawn else gaps.expected(y, codes)


@dataclass(frozen=True)
class Completed:
    """Rows that are asked about, and what of the answer is left out or stays as it is.

    Attributes:
        space: the links.
        gaps: what rows tell of their missing entries.
        known: what covariates explain, where any are kept.
        X: the rows as they were given.
        y: the same in link space, NaN where an entry is missing.
        rest: what covariates leave of them, likewise.
        z: the covariates' part of the regression.
        d: their domains, by position.
        d_prime: the domains to move them to.
        zeros: entries that are 0 and stay so, whatever else is filled.
        fill: whether missing entries are filled in the answer.
    """

    space: LinkSpace
    gaps: GapModel | None
    known: "Covariates | None"
    X: Kind
    y: Rows
    rest: Rows
    z: Z
    d: Codes
    d_prime: Codes
    zeros: Bool[np.ndarray, "n m"]
    fill: bool = False

    @cached_property
    def missing(self) -> Bool[np.ndarray, "n m"]:
        """Which entries are missing."""
        return np.isnan(self.y)

    @cached_property
    def whole(self) -> Rows:
        """What covariates leave, with the expectation of what is missing."""
        return completed(self.rest, self.gaps, self.d)

    def given(self, rest: Rows) -> Rows:
        """The rows as they are, and `rest` with what covariates explain where they have gaps."""
        if not self.missing.any():
            return self.y
        return np.where(self.missing, whole(self.known, rest, self.z, self.d), self.y)

    def moved(self, rest: Rows, move: Callable[[Rows, Codes, Codes], Rows]) -> Rows:
        """y' of the rows whose rest is this, by a model that moves what covariates leave."""
        after = move(moving(self.known, rest, self.d), self.d, self.d_prime)
        where = self.d, self.d_prime
        return put_in(self.known, self.given(rest), (rest, after), self.z, where)

    @property
    def stays(self) -> Bool[np.ndarray, "n m"]:
        """Entries of rows that are in their target already, and gaps that are not to be filled."""
        there = (self.d == self.d_prime)[:, None]
        return (there & ~self.missing) | self.zeros if self.fill else there | self.missing

    @property
    def left_out(self) -> Bool[np.ndarray, "n m"]:
        """Entries without an answer: those of a column that was never seen in the target.

        An amount has one even where all that was seen there were zeros.
        """
        if self.fill or self.gaps is None:
            return np.zeros(self.y.shape, bool)
        amounts = np.array([link.zeros for link in self.space.links])
        return self.gaps.unseen[self.d_prime] & ~self.stays & ~amounts

    def back(self, moved: Rows) -> Kind:
        """The answer in the kind and types of X; what the model does not move is as it was."""
        answer = self.space.inverse(moved, self.X, self.stays | (moved == self.y))
        places = np.flatnonzero(self.space.columns.modelled)
        answer = without_entries(answer, places, self.left_out)
        unmoved = np.asarray(self.stays.all(axis=1))
        return with_sums(answer, self.X, self.space.columns, unmoved, keep_gaps=not self.fill)

    def less_sure(self, errors: Rows, move: Callable[[Rows], Rows]) -> Rows:
        """Standard errors, larger for gaps in the rows fitted and for gaps in these rows."""
        if self.gaps is None or not (self.gaps.missing or self.missing.any()):
            return errors
        pairs = np.stack([self.d, self.d_prime], axis=1)
        for d, e in np.unique(pairs, axis=0):
            rows = (pairs == (d, e)).all(axis=1)
            errors[rows] = errors[rows] * self.gaps.lost(int(d), int(e))
        if not self.missing.any():
            return errors
        draws = [move(self.gaps.drawn(self.rest, self.d, seed)) for seed in range(1, DRAWS + 1)]
        return np.sqrt(errors**2 + np.var(draws, axis=0, ddof=1))


def gap_notes(
    gaps: GapModel | None,
    names: Sequence[Hashable],
    domains: Sequence[Hashable],
    zeros: Sequence[bool],
) -> Iterator[str]:
    """How much was missing, what is assumed, and which columns a domain has never seen.

    Columns whose zeros are apart are not counted, because a zero is no gap.
    """
    counted = ~np.array(zeros, bool)
    gone = 0 if gaps is None else int((gaps.rows[:, None] - gaps.counts)[:, counted].sum())
    if gaps is None or not gone:
        return
    total = int(gaps.rows.sum()) * int(counted.sum())
    yield (
        f"{gone:,} of {total:,} entries ({gone / total:.1%}) are missing. They are "
        "assumed to be missing at random, given what is seen of their row: not because of the "
        "value they would have had."
    )
    for i, d in enumerate(domains):
        if never := [name for name, j in zip(names, gaps.unseen[i] & counted, strict=True) if j]:
            listed = ", ".join(map(repr, never[:SHOWN]))
            more = f" and {len(never) - SHOWN} more" if len(never) > SHOWN else ""
            yield (
                f"domain {d!r} has no value of {listed}{more}: answers for it are left empty, and "
                "filled, if asked for, from the other domains."
            )
