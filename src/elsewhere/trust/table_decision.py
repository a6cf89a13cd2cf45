"""Should I use these answers? For a table: by the error to be expected, and what contradicts it.

The rule was chosen on worlds whose truth is known: see `benchmarks/verdict_and_error.py`.
"""

from collections.abc import Mapping

from elsewhere.trust.decision import Decision, decide
from elsewhere.trust.judgement import Judgement, Level, severity, worst

DECIDE = ("expected", "likeness", "invariants", "spread", "conditioning")  # each counts in full
DOUBT = ("case_mix", "fit", "support", "own_evidence")  # falls short somewhere: care, no more
SLIGHT = ("assumptions", "planted", "correction")  # the same, and only where they are bad
NEEDED = ("expected", "likeness")  # unknown, nobody can say yes
ALIKE = "Use the rows as they are: the domains do not differ by more than chance would bring."
UNSEEN = (
    "No check can see whether the samples themselves differ between domains, as when one hospital "
    "has sicker patients. If they do, that difference is removed as well."
)
UNSEEN_WITH_COVARIATES = UNSEEN.replace(
    "the samples themselves differ between domains",
    "the samples differ between domains in anything beside the covariates that are kept",
)


def table_decision(
    verdicts: Mapping[str, Judgement], titles: Mapping[str, str], *, moved: bool
) -> Decision:
    """The worst of what decides; doubts about the model alone are a reason for care.

    A model that falls short and whose moved rows do not look real is not to be used. A check that
    somebody added counts in full.

    Args:
        verdicts: of every check that was made, by name.
        titles: of the checks.
        moved: whether any row is moved at all.
    """
    order = sorted([*DECIDE, *DOUBT, *SLIGHT], key=lambda n: not _who_is_in_it(n, verdicts))
    made = [n for n in order if n in verdicts] + [n for n in verdicts if n not in order]
    if not moved:
        checks = [(titles[n], verdicts[n]) for n in NEEDED if n in verdicts]
        hidden = verdicts["expected"].level != "good"
        return decide("caution" if hidden else "good", checks, "" if hidden else ALIKE)
    counted: dict[str, Level] = {name: _counted(name, verdicts) for name in made}
    level: Level = worst(counted.values())
    if level == "good" and any(verdicts[n].level == "unknown" for n in NEEDED if n in verdicts):
        level = "unknown"
    loud = sorted(
        made, key=lambda n: (counted[n] != level, -severity(counted[n]), n == "conditioning")
    )  # sound arithmetic alone is no reason
    unseen = UNSEEN_WITH_COVARIATES if "confounding" in verdicts else UNSEEN
    return decide(level, [(titles[n], verdicts[n]) for n in loud], unseen=unseen)


def _who_is_in_it(name: str, verdicts: Mapping[str, Judgement]) -> bool:
    """Whether this is a case mix that explains the difference: it is said before all else."""
    return name == "case_mix" and name in verdicts and verdicts[name].warns


def _counted(name: str, verdicts: Mapping[str, Judgement]) -> Level:
    """What a verdict counts for."""
    level = verdicts[name].level
    if name == "fit" and level == "bad" and verdicts["likeness"].warns:
        return "bad"
    if name in DOUBT:
        return "caution" if level == "bad" else level
    if name in SLIGHT:
        return {"bad": "caution", "caution": "good"}.get(level, level)  # type: ignore[return-value]
    return level
