"""The ladder of explanations: from nothing to mechanisms, no richer than the rows support."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from elsewhere.arrays import Key, PRNGKeyArray
from elsewhere.draws import as_key, words_of
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.moments.engine import Moments
from elsewhere.fitting.normality import look_normal
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.remaining_difference import move_by_turns, share_left
from elsewhere.fitting.result import Explanation, FitResult
from elsewhere.fitting.split import FitError, Named, Split, check_fittable

if TYPE_CHECKING:
    from elsewhere.fitting.layered.fit import TwoLayers
    from elsewhere.fitting.profile.estimate import Begun

LEAST_GAIN = 0.002  # nats per row by which leaky must beat linear, beside twice its error
MOST_LEFT = 0.25  # of the difference between domains that mechanisms may leave unexplained
LEAST_TURN = 0.1  # deviations by which turns must move rows, for mechanisms to be searched for
MOST_COLUMNS = 12  # up to which mechanisms are searched for unasked
ROWS_PER_COLUMN = 30  # in every domain, from which on held-out rows can tell mechanisms apart
BY_CHANCE = 0.3  # by how much noise that is the same in all domains may seem to differ
LEAST_DOUBT = 0.1  # of what is chosen, from which on something richer is searched for
MOST_RICHER = 8  # columns, up to which it is
TWO_LAYERS, CURVED = "with a mixing of two leaky layers", "curved ones with a linear mixing"
MOST_DOUBT = 0.5  # of the squared difference between the answers of mechanisms and of moments
TOO_MANY = ": too many to be told"
SEED = 0  # of the search, so that the answer does not depend on the user's
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
    asked for is fitted
    with both mixings, linear unless held-out rows prefer leaky.

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
            return _with(simple, Explanation("mechanisms", why_not, used=False))
        linear, leaky = self._both(as_key(words), rows, ["auto"], part_of(progress, 0.05, 0.8))
        chosen = _chosen(simple, linear["auto"], leaky["auto"], rows)
        if not (self.richer and MOST_RICHER >= rows.m > 1):
            return chosen
        told = part_of(progress, 0.8, 1.0)
        return self._richer(simple, chosen, (linear["auto"], leaky["auto"]), rows, told)

    def _richer(
        self,
        simple: FitResult,
        chosen: FitResult,
        straight: tuple[FitResult, FitResult],
        rows: Split,
        progress: Progress,
    ) -> FitResult:
        """Two leaky layers, and curved mechanisms, where what is chosen leaves noise that differs.

        Each is taken if clearly likelier than all before it that would do, and if the noise then
        differs less.
        Curves stand for others that no rows tell, so that LEAST_DOUBT remains.
        """
        likeliest = [s for s in straight if not _too_poor(s, simple, rows)] or [*straight]
        kinds = ((self._layered, TWO_LAYERS, 0.0), (self._curved, CURVED, LEAST_DOUBT))
        for find, words, doubt in kinds:
            if chosen.doubt < LEAST_DOUBT:
                break
            found = find(rows, straight, progress)
            if found is None:
                continue
            said = f"{found.k} of {rows.m} mechanisms differ, {words}"
            if but := _no_better(found, simple, chosen, likeliest, rows):
                chosen = _with(chosen, Explanation("mechanisms", said + but, used=False))
                continue
            others = replace(simple, explanations=chosen.explanations)
            taken = _taken(found, others, (Explanation("mechanisms", said, used=True),), rows)
            chosen = replace(taken, doubt=max(taken.doubt, doubt))
            likeliest.append(found)
        return chosen

    def _curved(
        self, rows: Split, _straight: tuple[FitResult, FitResult], progress: Progress
    ) -> FitResult:
        from elsewhere.fitting.curved import Curved

        engine = Curved(self.options)
        told = part_of(progress, 0.5, 1.0, "curved")
        return replace(
            engine.fit(as_key(words_of(SEED)), rows, ["auto"], told)["auto"], engine=engine
        )

    def _layered(
        self, rows: Split, straight: tuple[FitResult, FitResult], progress: Progress
    ) -> FitResult | None:
        """None where no second layer can pay: without kinks, or if Dense is no likelier."""
        linear, leaky = straight
        if leaky is linear:
            return None
        from elsewhere.fitting.layered import Layered

        engine, told = Layered(options=self.options), part_of(progress, 0.0, 0.5, "two layers")
        begun = engine.begin(as_key(words_of(SEED)), rows, ["auto"], told, leaky.model)
        return begun.solve("auto") if _may_be_likelier(begun, "auto", leaky, rows.held) else None

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
        hopeful: list[K] = [k for k in ks if _may_be_likelier(begun, k, linear[k], rows.held)]
        if not hopeful:
            bent(1.0, "no likelier than linear, however many mechanisms differ")
        solved: dict[K, FitResult] = {k: begun.solve(k) for k in hopeful}
        return linear, linear | solved


def _may_be_likelier(begun: "Begun | TwoLayers", k: K, simpler: FitResult, held: Named) -> bool:
    """Whether `is_likelier` may still hold of a result that shares mechanisms: Dense bounds it."""
    from elsewhere.fitting.profile.likelihood import held_out_rows, paired

    gain, error = paired(begun.dense_rows(k), held_out_rows(simpler.model, held))  # type: ignore[arg-type]
    return gain + begun.chance > LEAST_GAIN + error


def is_likelier(result: FitResult, simpler: FitResult, held: Named) -> bool:
    """On held-out rows, by LEAST_GAIN + 2 standard errors of the paired difference."""
    from elsewhere.fitting.profile.likelihood import held_out_rows, paired

    gain, error = paired(*(held_out_rows(r.model, held) for r in (result, simpler)))  # type: ignore[arg-type]
    return gain > LEAST_GAIN + 2 * error


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


def _chosen(simple: FitResult, linear: FitResult, leaky: FitResult, rows: Split) -> FitResult:
    """The sparse explanation that `_too_poor` has nothing against; else the simple one."""
    bent = leaky is not linear and _bends(leaky, linear, rows)
    said: list[Explanation] = []
    for name, sparse in [("leaky", leaky)] * bent + [("linear", linear)]:
        words = f"{sparse.k} of {rows.m} mechanisms differ, with a {name} mixing"
        if not (but := _too_poor(sparse, simple, rows)):
            return _taken(
                sparse, simple, (*said, Explanation("mechanisms", words, used=True)), rows
            )
        said.append(Explanation("mechanisms", words + but, used=False))
    told = _with(simple, *said)
    if all(but.words.endswith(TOO_MANY) for but in said):
        return replace(told, simpler=linear.model, doubt=_doubt(simple, rows.every))
    return told


def _too_poor(sparse: FitResult, simple: FitResult, rows: Split) -> str:
    """Why a sparse explanation is not taken: too many mechanisms, or too much left to explain."""
    if sparse.k > rows.m / 2:  # type: ignore[operator]
        return TOO_MANY
    left = share_left(sparse.model, simple.model, rows.every)
    if left > MOST_LEFT:
        return f": they leave {min(left, 1):.0%} of the difference"
    return (
        ": their noise is less alike than without them" if _less_alike(sparse, simple, rows) else ""
    )


def _less_alike(sparse: FitResult, simple: FitResult, rows: Split) -> bool:
    """Whether noise differs between domains beyond chance, and more than by the simple map.

    A true explanation makes it the same in all domains, whatever its distribution.
    """
    from elsewhere.fitting.profile.noise_alike import noise_differs

    differs, before = (noise_differs(r.model, rows.every) for r in (sparse, simple))  # type: ignore[arg-type]
    return differs > max(BY_CHANCE, before)


def _no_better(
    found: FitResult, simple: FitResult, chosen: FitResult, others: Sequence[FitResult], rows: Split
) -> str:
    """Why something richer is not taken; empty where it is."""
    from elsewhere.fitting.profile.noise_alike import noise_differs

    if not all(is_likelier(found, other, rows.held) for other in others):
        return ": not clearly likelier than simpler ones"
    noise = [noise_differs(r.model, rows.every) for r in (found, chosen)]  # type: ignore[arg-type]
    return (
        ": the noise that they leave differs no less"
        if noise[0] >= noise[1]
        else _too_poor(found, simple, rows)
    )


def _taken(
    sparse: FitResult, simple: FitResult, said: tuple[Explanation, ...], rows: Split
) -> FitResult:
    others = (replace(e, used=False) for e in simple.explanations)
    doubt = _doubt(sparse, rows.every)
    return replace(sparse, simpler=simple.model, doubt=doubt, explanations=(*others, *said))


def _bends(leaky: FitResult, linear: FitResult, rows: Split) -> bool:
    """Whether leaky is likelier with no more changes, and its noise is more alike in all domains.

    Noise that is not normal makes leaky likelier, too; but then linear noise is no less alike.
    """
    from elsewhere.fitting.profile.noise_alike import noise_differs

    if leaky.k > linear.k or not is_likelier(leaky, linear, rows.held):  # type: ignore[operator]
        return False
    bent, straight = (noise_differs(r.model, rows.every) for r in (leaky, linear))  # type: ignore[arg-type]
    return bent < straight


def _doubt(taken: FitResult, tables: Named) -> float:
    """MOST_DOUBT · t/(1 + t), t by how much the noise differs between domains beyond chance."""
    from elsewhere.fitting.profile.noise_alike import noise_differs

    beyond = max(noise_differs(taken.model, tables) - BY_CHANCE, 0.0)  # type: ignore[arg-type]
    return MOST_DOUBT * beyond / (1 + beyond)


def _with(result: FitResult, *said: Explanation) -> FitResult:
    return replace(result, explanations=(*result.explanations, *said))
