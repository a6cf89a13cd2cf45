"""How far off answers may be, as a share of what they correct."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement, Level, graded, percent, worst
from elsewhere.trust.planted import OURS
from elsewhere.trust.spread import typical_error

SOME, MUCH = 0.1, 0.5  # of the mean squared correction
HIDDEN = 0.25  # standard deviations: the standard error of a difference that is not moved
SMALL = 0.2  # standard deviations of a correction; less is a small effect (Cohen, 1988)
STILL = 1e-4  # mean squared correction, in within-domain variances: less is none
BARELY = (
    "The domains hardly differ. No unpaired row can tell whether so small a difference is one of "
    "the instruments or one of the samples that came to them."
)
PAIR = "Compare what is known of the samples, or give rows measured in both domains as pairs."
REMEDY = (
    "More rows help most. Use averages over many rows rather than single rows, and ask for the "
    "interval with every answer."
)


@dataclass(frozen=True)
class ExpectedError:
    """The mean squared error to be expected, if the model is right.

    Attributes:
        share: of the mean squared correction; None where it is not known.
        correction: root mean square of the correction, in standard deviations within domains.
    """

    share: float | None
    correction: float
    verdict: Judgement


def expected_error(case: Case, found: Mapping[str, Any]) -> ExpectedError:
    """The error on rows simulated from the fit, beside what the fit knows of its own.

    Simulated rows carry all that makes them individual to another domain. In wide tables part of
    that may be noise of the measurement. No unpaired row can tell how much, so that the fit's own
    error, which counts it, is a reason for care and no more.
    """
    changes = [float((change**2).mean()) for _, change in case.moves()]
    square = float(np.mean(changes))
    if square < STILL:
        return ExpectedError(None, 0.0, _unmoved(typical_error(case)))
    simulated, own = _simulated(found), typical_error(case) ** 2 / square or None
    known, beside = (own, None) if simulated is None else (simulated, own)
    share = None if known is None else min(known, 1.0)
    return ExpectedError(share, square**0.5, _verdict(share, beside, square**0.5))


def _unmoved(error: float) -> Judgement:
    """Whether a difference may have gone unseen because rows were few."""
    measure = (
        f"A difference of up to {2 * error:.2g} standard deviations could go unseen. Fine up to "
        f"{2 * HIDDEN:g}."
    )
    if error <= HIDDEN:
        words = "No row is moved, and no large difference between domains can have gone unseen."
        return Judgement("good", words, measure)
    words = "No row is moved, but with so few rows a real difference can go unseen."
    return Judgement("caution", words, measure, "Collect more rows before you decide.")


def _simulated(found: Mapping[str, Any]) -> float | None:
    """The share on simulated rows, where there are any."""
    planted = found.get("planted")
    if planted is None or not planted.errors:
        return None
    return planted.errors[OURS] / planted.errors["identity"]


def _verdict(share: float | None, own: float | None, correction: float) -> Judgement:
    """By the share; a larger error of the fit's own, or a small effect, is a reason for care."""
    if share is None:
        return Judgement(
            "unknown",
            "This fit does not know how far off its answers may be.",
            remedy="Run the test on simulated rows to find out.",
        )
    rough: Level = "caution" if own is not None and own > SOME else "good"
    level = worst([graded(share, SOME, MUCH), rough])
    small = level == "good" and correction < SMALL
    noise = f" ({percent(min(own, 1.0))} by its intervals)" if own and own > share else ""
    measure = (
        f"Expected squared error: {percent(share)}{noise} of the squared correction, which is "
        f"{correction:.2g} standard deviations for a typical value. Fine up to {percent(SOME)}, "
        f"poor from {percent(MUCH)}; small below {SMALL:g} standard deviations."
    )
    if small:
        return Judgement("caution", BARELY, measure, PAIR)
    words = {
        "good": "If the model is right, answers are close to the truth.",
        "caution": "Even if the model is right, single answers are rough.",
        "bad": "Even if the model is right, answers are about as wrong as the rows they correct.",
    }[level]
    return Judgement(level, words, measure, "" if level == "good" else REMEDY)
