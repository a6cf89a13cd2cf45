"""Where the equally good fits disagree: per column, and against the effect itself."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from elsewhere.estimators import in_blocks
from elsewhere.trust.case import Case, Pair
from elsewhere.trust.judgement import Judgement, graded, listed, percent, typical

STILL = 0.05  # deviations: a column that moves less than this has no effect to speak of
SOME, MANY = 0.05, 0.33  # shares of rows
FEW_ROWS, FEW_PAIRS = 200, 12  # that tell how far apart mirrored models are


@dataclass(frozen=True)
class PairSpread:
    """Highest less lowest answer over the candidates, in within-domain deviations.

    Attributes:
        spread: root mean square over rows, by column.
        effect: root mean square of the preferred model's move, by column.
        exceeding: share of rows whose spread, over all columns together, exceeds their move and is
            large enough to matter.
    """

    source: Hashable
    target: Hashable
    spread: tuple[float, ...]
    effect: tuple[float, ...]
    exceeding: float


@dataclass(frozen=True)
class Spread:
    """Every ordered pair of domains, how many candidates there are, and what they say together."""

    candidates: int
    pairs: tuple[PairSpread, ...]
    verdict: Judgement


def spread_over_fits(case: Case) -> Spread:
    """By how much the equally good models differ, against how far they move the rows."""
    count = len(case.estimator.result_.candidates)
    pairs = tuple(_pair(case, pair) for pair in case.pairs)
    return Spread(count, pairs, _verdict(case, count, pairs))


def row_spread(case: Case, pair: Pair) -> Float[np.ndarray, "n m"]:
    """Highest less lowest answer of each row, in within-domain deviations of link space."""
    d, e = pair
    others = [candidate.model for candidate in case.estimator.result_.candidates[1:]]
    first = in_blocks.move(case.model, case.linked[d], d, e)
    answers = [first, *(in_blocks.move(model, case.linked[d], d, e) for model in others)]
    return np.ptp(answers, axis=0) / case.unit


def mirrored_width(case: Case) -> float:
    """By how much answers differ once noises may have another sign; root mean square over all.

    In within-domain deviations; 0 where pairs have told the signs or nothing has any.
    """
    some = case.pairs[:: 1 + len(case.pairs) // FEW_PAIRS]
    widths = [_mirrored_width(case, pair) for pair in some]
    return float(np.sqrt(np.mean([np.mean(width**2) for width in widths])))


def _mirrored_width(case: Case, pair: Pair) -> Float[np.ndarray, "n m"]:
    d, e = pair
    rows, result = case.linked[d][:FEW_ROWS], case.estimator.result_
    others = replace(result, candidates=result.candidates[:1]).mirrored(e)
    if not others:
        return np.zeros_like(rows)
    answers = [in_blocks.move(model, rows, d, e) for model in (case.model, *others)]
    return np.ptp(answers, axis=0) / case.unit


def typical_error(case: Case) -> float:
    """The standard error of an answer because rows were few, root mean square over all."""
    errors = [case.uncertainty(pair) / case.unit for pair in case.pairs]
    return float(np.sqrt(np.mean([np.mean(error**2) for error in errors])))


def _pair(case: Case, pair: Pair) -> PairSpread:
    width = row_spread(case, pair)
    move = np.abs(case.moved[pair] - case.linked[pair[0]]) / case.unit
    wide, far = (np.sqrt((a**2).mean(axis=1)) for a in (width, move))
    spread, effect = (tuple(np.sqrt((a**2).mean(axis=0)).tolist()) for a in (width, move))
    exceeding = float(((wide > far) & (wide > STILL)).mean())
    return PairSpread(*pair, spread, effect, exceeding)


def _verdict(case: Case, count: int, pairs: tuple[PairSpread, ...]) -> Judgement:
    if count == 1:
        return Judgement(
            "unknown",
            "Only one model was found, so there is none to compare it with. That does not make it "
            "certain.",
            remedy="See how far off the answers may be, and calibrate with pairs if you have any.",
        )
    level = typical({(p.source, p.target): graded(p.exceeding, SOME, MANY) for p in pairs})
    most = max(pairs, key=lambda pair: pair.exceeding)
    measure = _measure(pairs, most)
    if level == "good":
        return Judgement("good", f"{count} equally good models agree on nearly every row.", measure)
    where = _where(case.names, most)
    return Judgement(
        level,
        f"{count} models fit the data equally well and disagree on the answers{where}.",
        measure,
        "Ask for the spread with the answers, and use only rows and columns where it is small; "
        "rows seen in two domains, given as pairs, would settle it.",
    )


def _measure(pairs: tuple[PairSpread, ...], most: PairSpread) -> str:
    share = float(np.mean([pair.exceeding for pair in pairs]))
    return (
        f"They differ by more than they correct in {percent(share)} of rows "
        f"({percent(most.exceeding)} for {most.source} → {most.target}). Fine up to "
        f"{percent(SOME)}, poor from {percent(MANY)}."
    )


def _where(names: tuple[str, ...], most: PairSpread) -> str:
    """The columns in which the models differ by more than they move the rows."""
    widths = zip(names, most.spread, most.effect, strict=True)
    columns = [name for name, spread, effect in widths if spread > max(effect, STILL)]
    return f", most in {listed(columns)}" if columns else ""
