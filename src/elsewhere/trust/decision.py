"""Should I use these answers? Yes, with care, or no, and the two reasons that decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from elsewhere.trust.judgement import Judgement, Level

QUESTION = "Should I use these answers?"
Answer = Literal["yes", "with care", "no"]
_ANSWERS: dict[Level, Answer] = {
    "good": "yes",
    "caution": "with care",
    "unknown": "with care",
    "bad": "no",
}
_LEVELS: dict[Answer, Level] = {"yes": "good", "with care": "caution", "no": "bad"}
_HEADLINES: dict[Answer, str] = {
    "yes": "The checks that matter most support these answers.",
    "with care": "The answers help, but look at the points below before you rely on them.",
    "no": "Do not rely on these answers: they are likely to be wrong by as much as they correct.",
}


@dataclass(frozen=True)
class Reason:
    """One check that decided: what was asked, and what was found."""

    title: str
    verdict: Judgement


@dataclass(frozen=True)
class Decision:
    """The answer to "Should I use these answers?", and the two reasons that decide."""

    answer: Answer
    headline: str
    reasons: tuple[Reason, ...]
    unseen: str = ""  # what no check can see

    @property
    def level(self) -> Level:
        """The answer on the scale of the checks."""
        return _LEVELS[self.answer]


def decide(
    level: Level,
    checks: Sequence[tuple[str, Judgement]],
    headline: str = "",
    unseen: str = "",
) -> Decision:
    """The answer at this level, with the first two checks for its reasons.

    Args:
        level: of the answer; unknown is "with care", because nothing is known to be right.
        checks: titles and verdicts, those that decided first.
        headline: one sentence; the usual one of the answer where it is left out.
        unseen: what no check can see, whatever the answer.
    """
    answer = _ANSWERS[level]
    reasons = tuple(Reason(*check) for check in checks[:2])
    return Decision(answer, headline or _HEADLINES[answer], reasons, unseen)
