"""What the answers rest on, and which of it the data speak against."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import ks_2samp, kstest, norm

from elsewhere.model import ILD
from elsewhere.queries import Density
from elsewhere.trust.case import FEW, Case, Rows
from elsewhere.trust.fit_quality import LARGE, SMALL, FitQuality
from elsewhere.trust.judgement import Judgement, graded, listed, worst

LEVEL = 0.01  # over all tests of one assumption together
NOTICEABLE, LARGE_DISTANCE, LARGE_CORRELATION = 0.05, 0.1, 0.2
MOST_COLUMNS = 40  # that are looked at; of more, as many are drawn


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
    if isinstance(case.model, ILD):
        checked = (_normal(case), _independent(case), _shared(quality))
    else:
        checked = (_same_noise(case),)
    against = [one.name for one in checked if one.verdict.warns]
    level = worst(one.verdict.level for one in checked)
    words = (
        f"The data speak against: {listed(against)}."
        if against
        else "Too few rows to speak against any assumption."
        if level == "unknown"
        else "The data do not speak against any assumption that they could."
    )
    return Assumptions((*checked, *_untestable_ones(case)), Judgement(level, words))


def noise_columns(case: Case) -> tuple[list[int], dict[Hashable, Rows]]:
    """The noise of every domain, and which columns of it these are: at most MOST_COLUMNS."""
    m = len(case.unit)
    some = np.sort(case.rng(4).permutation(m)[:MOST_COLUMNS])
    return some.tolist(), {d: eps[:, some] for d, eps in case.noise.items()}


def _same_noise(case: Case) -> Assumption:
    """Smirnov's distance of each column's noise in a domain from that of all others, Bonferroni."""
    name, words = "same noise", "Apart from the map, rows vary alike in every domain."
    if case.small or not isinstance(case.model, Density):
        few = f"{listed(case.small)} have fewer than {FEW} rows: too few to tell."
        return Assumption(name, words, Judgement("unknown", few if case.small else "Not checked."))
    columns, noise = noise_columns(case)
    tests = [
        (ks_2samp(noise[d][:, i], _others(noise, d)[:, i]), f"{case.names[j]} in {d}")
        for d in noise
        for i, j in enumerate(columns)
    ]
    odd = _odd(tests)
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, 2 * LARGE_DISTANCE)
    fine = "Nothing but the map tells the domains apart."
    return Assumption(name, words, Judgement(level, _found(odd, "largest difference", fine)))


def _others(noise: dict[Hashable, Rows], d: Hashable) -> Rows:
    return np.concatenate([eps for e, eps in noise.items() if e != d])


def _odd(tests: list[tuple[Any, str]]) -> list[tuple[float, str]]:
    """The tests that chance does not explain, each with its distance."""
    return [
        (float(test.statistic), where)
        for test, where in tests
        if test.pvalue < LEVEL / len(tests) and test.statistic > NOTICEABLE
    ]


def _normal(case: Case) -> Assumption:
    """Kolmogorov's distance of every noise from N(0, 1), Bonferroni over all."""
    columns, noise = noise_columns(case)
    tests = [
        (kstest(column, norm.cdf), f"noise {j} in {d}")
        for d, eps in noise.items()
        for j, column in zip(columns, eps.T, strict=True)
    ]
    odd = _odd(tests)
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, LARGE_DISTANCE)
    return Assumption(
        "normal noise",
        "The noise behind every row is standard normal in every domain.",
        Judgement(level, _found(odd, "distance from the normal", "Noise looks normal everywhere.")),
    )


def _independent(case: Case) -> Assumption:
    """Correlations of noises, and of their sizes, within every domain, Bonferroni over all."""
    columns, noise = noise_columns(case)
    values = [
        (abs(r), len(eps), f"noises {columns[i]} and {columns[j]} in {d}")
        for d, eps in noise.items()
        if len(eps) > 1
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


def _untestable_ones(case: Case) -> tuple[Assumption, ...]:
    preferred = _untestable(
        "which of the equally good",
        "Of what the data cannot tell apart, the answer takes "
        f"{case.estimator.result_.principle}. That is a principle, not a finding.",
        "Look at the spread and at the intervals.",
    )
    return (*_UNTESTABLE, preferred)


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
)
