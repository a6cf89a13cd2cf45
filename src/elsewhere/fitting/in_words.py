"""What differs between domains, in one sentence."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elsewhere.fitting.result import Explanation, FitResult

NOTHING, MECHANISMS = "nothing", "mechanisms"


def difference_in_words(result: "FitResult") -> str:
    """What the answer uses of all that was considered; empty where no engine chose.

    >>> from elsewhere.fitting.result import Explanation
    >>> sentence((Explanation("offsets", "an offset in 3 of 5 columns (p < 0.01)", True),))
    'The domains differ by an offset in 3 of 5 columns (p < 0.01).'
    """
    return sentence(result.explanations)


def sentence(considered: "tuple[Explanation, ...]") -> str:
    """The sentence for what was considered, from the simplest to the richest."""
    if not considered:
        return ""
    used = [one for one in considered if one.used and one.name != NOTHING]
    if not used:
        return f"There is nothing to harmonise: {_reason(considered)}."
    if used[-1].name == MECHANISMS:
        return f"The domains differ in their mechanisms: {used[-1].words}."
    richer = [one.name for one in considered[considered.index(used[-1]) + 1 :]]
    end = "; nothing richer is supported" if set(richer) - {MECHANISMS} else ""
    return f"The domains differ by {' and '.join(one.words for one in used)}{end}."


def _reason(considered: "tuple[Explanation, ...]") -> str:
    reasons = [one.words for one in considered if one.name == NOTHING]
    return reasons[0] if reasons else "no difference is more than chance brings"
