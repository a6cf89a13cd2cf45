"""What differs between domains, in words that need no statistics."""

from elsewhere.estimators import Link
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import listed
from elsewhere.trust.tables import Trust

MOST_NAMED = 3  # columns that are named
NOTICEABLE = 0.1  # standard deviations
_EXPLANATIONS = {
    "offsets": "some columns lie higher or lower",
    "scales": "some vary more or less",
    "turns": "columns go together in another way",
}


def difference_in_plain_words(case: Case, trust: Trust) -> str:
    """One sentence on the kind of difference, and one on the columns that move most."""
    if not trust.expected.correction:
        return "The domains do not differ by more than chance would bring, so no row is changed."
    return f"{_kind(case)} {_largest(case, trust)}".strip()


def _kind(case: Case) -> str:
    result = case.estimator.result_
    used = {one.name for one in result.explanations if one.used}
    if "mechanisms" in used:
        return (
            f"A few of the causes behind the columns work differently in each domain: {result.k} "
            f"of {len(case.names)}; the others are the same everywhere."
        )
    *first, last = [words for name, words in _EXPLANATIONS.items() if name in used] or [""]
    said = " and ".join([", ".join(first), last] if first else [last])
    return f"Between domains, {said}." if said else ""


def explanation_in_plain_words(name: str) -> str:
    """offsets (some columns lie higher or lower): what an explanation lets differ."""
    return f"{name} ({_EXPLANATIONS[name]})" if name in _EXPLANATIONS else name


def _largest(case: Case, trust: Trust) -> str:
    first: dict[str, str] = {}
    said = case.estimator.space_.said
    for move in trust.moves.moves:
        if move.size > NOTICEABLE and move.column not in first:
            first[move.column] = (
                f"{move.column} (median {said(move.column, move.median_before)} in {move.source}, "
                f"{said(move.column, move.median_after)} as if from {move.target})"
            )
    count = len(first)
    if not count:
        return ""
    more = f", of {count} that change" if count > MOST_NAMED else ""
    named = listed(list(first.values())[:MOST_NAMED], MOST_NAMED)
    return f"The columns that change most{more}: {named}."


def range_in_plain_words(link: Link) -> str:
    """Where the values of a column may lie, and whether they are whole."""
    what = "whole numbers" if link.whole else "numbers"
    if link.shape == "logit":
        return f"{what} from {link.low:g} to {link.high:g}"
    if link.shape == "levels":
        return "ordered levels"
    return f"any {what}" if link.shape == "identity" else f"{what}, {link.low:g} or more"
