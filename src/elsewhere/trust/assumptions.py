"""What the answers rest on, and which of it the data speak against."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.stats import kstest, norm

from elsewhere.trust.case import Case
from elsewhere.trust.fit_quality import LARGE, SMALL, FitQuality
from elsewhere.trust.judgement import Judgement, graded, listed, worst

LEVEL = 0.01  # over all tests of one assumption together
NOTICEABLE, LARGE_DISTANCE, LARGE_CORRELATION = 0.05, 0.1, 0.2


@dataclass(frozen=True)
class Assumption:
    """One assumption in plain words; the verdict is unknown where no data can speak against it."""

    name: str
    words: str
    verdict: Judgement


@dataclass(frozen=True)
class Assumptions:
    """All of them, those the data can speak against first."""

    assumptions: tuple[Assumption, ...]
    verdict: Judgement


def assumptions(case: Case, quality: FitQuality) -> Assumptions:
    """The assumptions of the model, the checkable ones checked on the rows."""
    checked = (_normal(case), _independent(case), _shared(quality))
    against = [one.name for one in checked if one.verdict.warns]
    words = (
        f"The data speak against: {listed(against)}."
        if against
        else "The data do not speak against any assumption that they could."
    )
    verdict = Judgement(worst(one.verdict.level for one in checked), words)
    return Assumptions((*checked, *_UNTESTABLE), verdict)


def _normal(case: Case) -> Assumption:
    """Kolmogorov's distance of every noise from N(0, 1), Bonferroni over all."""
    tests = [
        (kstest(column, norm.cdf), f"noise {j} in {d}")
        for d, eps in case.noise.items()
        for j, column in enumerate(eps.T)
    ]
    odd = [
        (float(t.statistic), where)
        for t, where in tests
        if t.pvalue < LEVEL / len(tests) and t.statistic > NOTICEABLE
    ]
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, LARGE_DISTANCE)
    return Assumption(
        "normal noise",
        "The noise behind every row is standard normal in every domain.",
        Judgement(level, _found(odd, "distance from the normal", "Noise looks normal everywhere.")),
    )


def _independent(case: Case) -> Assumption:
    """Correlations of noises, and of their sizes, within every domain, Bonferroni over all."""
    values = [
        (abs(r), len(eps), f"noises {i} and {j} in {d}")
        for d, eps in case.noise.items()
        for R in (np.corrcoef(eps, rowvar=False), np.corrcoef(np.abs(eps), rowvar=False))
        for i, j in combinations(range(eps.shape[1]), 2)
        for r in [R[i, j]]
    ]
    limit = norm.isf(LEVEL / 2 / max(len(values), 1))
    odd = [
        (float(r), where)
        for r, n, where in values
        if np.arctanh(min(r, 1 - 1e-12)) * np.sqrt(max(n - 3, 1)) > limit and r > NOTICEABLE
    ]
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, LARGE_CORRELATION)
    return Assumption(
        "independent noise",
        "The noises of one row are independent of each other.",
        Judgement(level, _found(odd, "correlation", "No two noises are noticeably dependent.")),
    )


def _shared(quality: FitQuality) -> Assumption:
    gains = [(f.dense_gain, f.domain) for f in quality.domains if f.dense_gain is not None]
    odd = [(gain.mean, f"{d}") for gain, d in gains if gain.surely > SMALL]
    level = worst(graded(gain.surely, SMALL, LARGE) for gain, _ in gains)
    fine = "Giving a domain all mechanisms of its own gains nothing on held-out rows."
    words = _found(odd, "nats per row gained by own mechanisms", fine) if gains else "Not checked."
    return Assumption(
        "sharing",
        "All but k mechanisms are the same in every domain, and so is the mixing.",
        Judgement(level, words),
    )


def _found(odd: list[tuple[float, str]], what: str, fine: str) -> str:
    worst_first = [f"{where} ({size:.2g})" for size, where in sorted(odd, reverse=True)]
    return f"Against it: {listed(worst_first, 3)}; {what} in brackets." if odd else fine


def _untestable(name: str, words: str, remedy: str) -> Assumption:
    return Assumption(name, words, Judgement("unknown", f"No data of this kind can tell. {remedy}"))


_UNTESTABLE = (
    _untestable(
        "same noise elsewhere",
        "A sample keeps its noise in another domain; only mechanisms change.",
        "Rows seen in two domains can: pass them as pairs.",
    ),
    _untestable(
        "no selection",
        "Domains differ by mechanisms, not by which samples came to them: their noise has the same "
        "distribution.",
        "Compare what is known of the samples beside these columns.",
    ),
    _untestable(
        "as many causes as columns",
        "Columns are an invertible function of as many latent causes; nothing else was lost.",
        "Add columns that you believe matter.",
    ),
    _untestable(
        "which of the equally good",
        "Among models that explain the data alike, the one with the fewest changed parameters is "
        "preferred. That is a principle, not a finding.",
        "Look at the spread.",
    ),
)
