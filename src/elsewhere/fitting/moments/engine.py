"""The engine for any table: no search, no seed, any number of rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from elsewhere.arrays import Key, Words
from elsewhere.draws import words_of
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.differences import Chances
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.own_evidence import borrowing_notes
from elsewhere.fitting.moments.words import certain, described, explanations, notes_of, noticeable
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import FitError, Named, Split, check_domains

PRINCIPLE = (
    "the map that changes rows least; offsets, scales and turns are drawn towards no difference, "
    "and left out where chance explains them"
)


@final
@dataclass(frozen=True)
class Moments(Engine):
    """x = c + s e^{L_d}(A_d u + δ_d): offsets, scales and least-change turns, by empirical Bayes.

    Takes any table: more columns than rows, collinear columns, domains of one row. Nothing is
    drawn, so that the answer is the same whatever the seed.

    Attributes:
        carried: the share of what the codes of a wide table leave out that moves along with a
            sample; the rest is taken for noise of the measurement, which is new elsewhere.
        p_offsets: the p-value of offsets that are to be used, where a test knows more than these
            rows, as one that is given covariates; by default, rows that change places say.
        p_scales: that of spreads, likewise.
        p_turns: that of how columns vary together, likewise.
    """

    carried: float = 0.5
    p_offsets: float | None = None
    p_scales: float | None = None
    p_turns: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.carried <= 1:
            raise ValueError(f"carried must be in 0..1; got {self.carried}.")

    def check(self, tables: Named) -> None:
        """At least two domains with rows, and more rows than domains."""
        check_domains(tables)
        if empty := [d for d, table in tables.items() if not len(table)]:
            raise FitError(f"every domain must have a row; {empty} have none. Drop them.")
        if sum(map(len, tables.values())) <= len(tables):
            raise FitError(
                "at least one domain must have 2 rows, because nothing else tells how samples "
                "vary; every domain has one."
            )

    def row_key(self, key: Key, ks: Sequence[K]) -> Words:
        """Always the same, so that not even rounding depends on the user's key."""
        return words_of(0)

    def for_pairs(self) -> "Moments":
        """Itself."""
        return self

    def draws(self, ks: Sequence[K]) -> bool:
        """Nothing is drawn."""
        return False

    def fit(self, key: Key, rows: Split, ks: Sequence[K], progress: Progress) -> dict[K, FitResult]:
        """One map from all rows; k is what it finds, and may not be asked for."""
        if asked := [k for k in ks if k != "auto"]:
            raise ValueError(f"k must be 'auto' for the engine Moments; got {asked[0]!r}.")
        progress(0.0, "offsets, scales and turns")
        counts = None if rows.wholes is None else [rows.wholes[d].count for d in rows.every]
        known = Chances(self.p_offsets, self.p_scales, self.p_turns)
        model = affine_map(rows.every, self.carried, rows.units, known=known, counts=counts)
        progress(1.0, "done")
        found = result_of(model, rows.held, self)
        notes = (*found.notes, *borrowing_notes(model, rows.every))
        return {"auto": replace(found, notes=notes)}


def result_of(model: AffineMap, held: Named, engine: Engine) -> FitResult:
    """The result of a map, with the likelihood that normal noise would give it."""
    values = [model.log_density(table, d=d) for d, table in held.items()]
    mean = float(np.mean([v.mean() for v in values]))
    errors = [v.var() / len(v) for v in values]
    return FitResult(
        candidates=(Candidate(model, mean, mean, described(model)),),
        k=changed_columns(model),
        log_likelihood=mean,
        standard_error=float(np.sqrt(np.sum(errors)) / len(errors)),
        tolerance=0.0,
        principle=PRINCIPLE,
        notes=notes_of(model),
        engine=engine,
        explanations=explanations(model),
    )


def changed_columns(model: AffineMap) -> int:
    """k: how many columns have, for all that is known, a mechanism of their own in some domain."""
    if certain("turns", model.turns):
        return len(model.unit)
    found = [noticeable(e) for e in (model.offsets, model.scales) if e.supported]
    return int(np.any(found, axis=0).sum()) if found else 0
