"""Which mechanisms are taken, of those that were found, and why others are not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from elsewhere.fitting.engine import K
from elsewhere.fitting.remaining_difference import share_left
from elsewhere.fitting.result import Explanation, FitResult
from elsewhere.fitting.split import Named, Split

if TYPE_CHECKING:
    from elsewhere.fitting.layered.fit import TwoLayers
    from elsewhere.fitting.profile.estimate import Begun

LEAST_GAIN = 0.002  # nats per row by which leaky must beat linear, beside twice its error
MOST_LEFT = 0.25  # of the difference between domains that mechanisms may leave unexplained
BY_CHANCE = 0.3  # by how much noise that is the same in all domains may seem to differ
MOST_DOUBT = 0.5  # of the squared difference between the answers of mechanisms and of moments
TOO_MANY = ": too many to be told"


def may_be_likelier(begun: "Begun | TwoLayers", k: K, simpler: FitResult, held: Named) -> bool:
    """Whether `is_likelier` may still hold of a result that shares mechanisms: Dense bounds it."""
    from elsewhere.fitting.profile.likelihood import held_out_rows, paired

    gain, error = paired(begun.dense_rows(k), held_out_rows(simpler.model, held))  # type: ignore[arg-type]
    return gain + begun.chance > LEAST_GAIN + error


def is_likelier(result: FitResult, simpler: FitResult, held: Named) -> bool:
    """On held-out rows, by LEAST_GAIN + 2 standard errors of the paired difference."""
    from elsewhere.fitting.profile.likelihood import held_out_rows, paired

    gain, error = paired(*(held_out_rows(r.model, held) for r in (result, simpler)))  # type: ignore[arg-type]
    return gain > LEAST_GAIN + 2 * error


def chosen_of(simple: FitResult, linear: FitResult, leaky: FitResult, rows: Split) -> FitResult:
    """The sparse explanation that `too_poor` has nothing against; else the simple one."""
    bent = leaky is not linear and _bends(leaky, linear, rows)
    said: list[Explanation] = []
    for name, sparse in [("leaky", leaky)] * bent + [("linear", linear)]:
        words = f"{sparse.k} of {rows.m} mechanisms differ, with a {name} mixing"
        if not (but := too_poor(sparse, simple, rows)):
            return taken_with(
                sparse, simple, (*said, Explanation("mechanisms", words, used=True)), rows
            )
        said.append(Explanation("mechanisms", words + but, used=False))
    told = with_words(simple, *said)
    if all(but.words.endswith(TOO_MANY) for but in said):
        return replace(told, simpler=linear.model, doubt=_doubt(simple, rows.every))
    return told


def too_poor(sparse: FitResult, simple: FitResult, rows: Split) -> str:
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


def no_better(
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
        else too_poor(found, simple, rows)
    )


def taken_with(
    sparse: FitResult, simple: FitResult, said: tuple[Explanation, ...], rows: Split
) -> FitResult:
    """The mechanisms, beside the simple explanation, in doubt as far as their noise differs."""
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


def with_words(result: FitResult, *said: Explanation) -> FitResult:
    """With these explanations after its own."""
    return replace(result, explanations=(*result.explanations, *said))
