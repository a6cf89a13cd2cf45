"""The ladder of explanations: from nothing to mechanisms, no richer than the rows support."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np

from elsewhere.arrays import Key, PRNGKeyArray
from elsewhere.draws import as_key, words_of
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.moments.engine import Moments
from elsewhere.fitting.normality import look_normal
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.remaining_difference import move_by_turns
from elsewhere.fitting.result import Explanation, FitResult
from elsewhere.fitting.richer import MOST_RICHER, SEED, try_richer
from elsewhere.fitting.split import FitError, Named, Split, check_fittable
from elsewhere.fitting.which_mechanisms import chosen_of, is_likelier, may_be_likelier, with_words

LEAST_TURN = 0.1  # deviations by which turns must move rows, for mechanisms to be searched for
MOST_COLUMNS = 12  # up to which mechanisms are searched for unasked
ROWS_PER_COLUMN = 30  # in every domain, from which on held-out rows can tell mechanisms apart
ROW_WORDS = (928981903, 3453687069)  # of the second half of the key of SEED: the order of the rows


@final
@dataclass(frozen=True)
class Auto(Engine):
    """Nothing, offsets, scales, turns; or few changed mechanisms, where these explain it all.

    For k="auto", `Moments` says whether domains differ at all, and how, column by column. Where
    offsets and scales do not explain it, rows are many and columns few, mechanisms are searched for
    with a linear and a leaky mixing, with the leaky one only as far as it may be likelier;
    they are taken if at most half of them differ and they leave little of the difference, and the
    leaky ones, with the slope that suits, only if they are likelier, no more of them differ and
    their noise is more alike in all domains: non-normal columns alone are no reason. A k that is
    asked for is fitted with both mixings, linear unless held-out rows prefer leaky.

    Attributes:
        slope: of the leaky mixing where its latent is negative; for k="auto" that of the first fit.
        options: how hard to search.
        richer: whether two leaky layers and curved mechanisms may be tried, which no pairs refine.
        carried: as for `Moments`.
        p_offsets: as for `Moments`.
        p_scales: as for `Moments`.
        p_turns: as for `Moments`.
    """

    slope: float = 0.5
    options: Options = DEFAULT
    richer: bool = True
    carried: float = 0.5
    p_offsets: float | None = None
    p_scales: float | None = None
    p_turns: float | None = None

    def check(self, tables: Named) -> None:
        """As for `Moments`: any table with two domains."""
        self.simplest.check(tables)

    def row_key(self, key: Key, ks: Sequence[K]) -> Key:
        """As for both mixings; for k="auto" alone the same whatever the user's key."""
        if self.draws(ks):
            return self.rung("linear").row_key(as_key(key), ks)
        return np.array(ROW_WORDS, np.uint32)

    def for_pairs(self) -> "Auto":
        """Without two leaky layers and curved mechanisms."""
        return replace(self, richer=False)

    def draws(self, ks: Sequence[K]) -> bool:
        """Not for k="auto", whose search has a key of its own."""
        return any(k != "auto" for k in ks)

    @property
    def simplest(self) -> Moments:
        """The engine of the first rungs."""
        return Moments(self.carried, self.p_offsets, self.p_scales, self.p_turns)

    def rung(self, mixing: Literal["linear", "leaky"]) -> Profile:
        """The engine of one of the two mixings, whose fit loads JAX."""
        return Profile(mixing, self.slope, self.options)

    def fit(self, key: Key, rows: Split, ks: Sequence[K], progress: Progress) -> dict[K, FitResult]:
        """The explanation for "auto"; for any other k the mixing that held-out rows prefer."""
        asked = [k for k in ks if k != "auto"]
        found: dict[K, FitResult] = {}
        if asked:
            check_fittable(rows.every)
            linear, leaky = self._both(as_key(key), rows, asked, progress)
            better = {k: is_likelier(leaky[k], linear[k], rows.held) for k in asked}
            found = {k: leaky[k] if better[k] else linear[k] for k in asked}
        if "auto" in ks:
            found["auto"] = self._climb(rows, progress)
        return found

    def _climb(self, rows: Split, progress: Progress) -> FitResult:
        words, first = words_of(SEED), part_of(progress, 0.0, 0.05)
        simple = self.simplest.fit(words, rows, ["auto"], first)["auto"]
        if why_not := _no_search(simple, rows):
            return with_words(simple, Explanation("mechanisms", why_not, used=False))
        linear, leaky = self._both(as_key(words), rows, ["auto"], part_of(progress, 0.05, 0.8))
        chosen = chosen_of(simple, linear["auto"], leaky["auto"], rows)
        if not (self.richer and MOST_RICHER >= rows.m > 1):
            return chosen
        told = part_of(progress, 0.8, 1.0)
        straight = linear["auto"], leaky["auto"]
        return try_richer(self.options, simple, chosen, straight, rows, told)

    def _both(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> tuple[dict[K, FitResult], dict[K, FitResult]]:
        """Results with a linear and a leaky mixing; the linear for both where kinks are idle.

        Normal rows have none, so that nothing is searched for there.
        """
        linear = self.rung("linear").fit(key, rows, ks, part_of(progress, 0.0, 0.3, "linear"))
        bent = part_of(progress, 0.3, 1.0, "leaky")
        if look_normal(rows.train):
            bent(1.0, "not searched for, since the rows of every domain look normal")
            return linear, linear
        begun = self.rung("leaky").begin(key, rows, ks, bent, learn_slope=True)
        hopeful: list[K] = [k for k in ks if may_be_likelier(begun, k, linear[k], rows.held)]
        if not hopeful:
            bent(1.0, "no likelier than linear, however many mechanisms differ")
        solved: dict[K, FitResult] = {k: begun.solve(k) for k in hopeful}
        return linear, linear | solved


def _no_search(simple: FitResult, rows: Split) -> str:
    """Why mechanisms are not searched for; empty where they are."""
    least = min(map(len, rows.every.values()))
    if any(e.used for e in simple.explanations if e.name == "nothing"):
        return "not searched for, since nothing differs"
    if rows.m > MOST_COLUMNS:
        return f"not searched for among {rows.m} columns (at most {MOST_COLUMNS})"
    if least < ROWS_PER_COLUMN * rows.m:
        needed = ROWS_PER_COLUMN * rows.m
        return f"not searched for with {least} rows in a domain (at least {needed})"
    try:
        check_fittable(rows.every)
    except FitError as error:
        return f"not searched for: {error}"
    if not any(e.used for e in simple.explanations if e.name == "turns"):
        return "not searched for, since offsets and scales explain the differences"
    if (moved := move_by_turns(simple.model, rows.every)) < LEAST_TURN:  # type: ignore[arg-type]
        return f"not searched for, since offsets and scales leave {moved:.2f} deviations to explain"
    return ""
