"""What the answers rest on, and which of it the data contradict."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import ks_2samp, kstest, norm

from elsewhere.model import ILD
from elsewhere.movers import Density
from elsewhere.trust.case import FEW, Case, Rows
from elsewhere.trust.fit_quality import LARGE, SMALL, FitQuality
from elsewhere.trust.judgement import Judgement, graded, listed, worst
from elsewhere.trust.same_shape import LARGE_SKEWNESS, skewed_apart
from elsewhere.trust.spread import mirrored_width

LEVEL = 0.01  # over all tests of one assumption together
NOTICEABLE, LARGE_DISTANCE, LARGE_CORRELATION = 0.05, 0.1, 0.2
REMEDY = (
    "Expect the answers to be right for averages and rough for single rows, above all for unusual "
    "ones."
)
MOST_COLUMNS = 40  # that are looked at; of more, as many are drawn


@dataclass(frozen=True)
class CheckedAssumption:
    """One assumption in plain words; the verdict is unknown where no data can contradict it."""

    name: str
    words: str
    verdict: Judgement


@dataclass(frozen=True)
class Assumptions:
    """All of them, those the data can contradict first."""

    assumptions: tuple[CheckedAssumption, ...]
    verdict: Judgement


def assumptions(case: Case, quality: FitQuality) -> Assumptions:
    """The assumptions of the model, the checkable ones checked on the rows."""
    if isinstance(case.model, ILD):
        checked = (_normal(case), _independent(case), _shared(quality))
    else:
        checked = (_same_noise(case), _same_shape(case))
    against = [f"“{one.words.removesuffix('.')}”" for one in checked if one.verdict.warns]
    level = worst(one.verdict.level for one in checked)
    verdict = Judgement(
        level,
        f"The data contradict what the model takes for granted: {listed(against)}."
        if against
        else "Too few rows to contradict anything that the model takes for granted."
        if level == "unknown"
        else "The data contradict nothing that the model takes for granted, as far as they can.",
        f"{len(against)} of {len(checked)} assumptions that data can test are contradicted. Fine: "
        "none.",
        REMEDY if against else "",
    )
    return Assumptions((*checked, *_untestable_ones(case)), verdict)


def noise_columns(case: Case) -> tuple[list[int], dict[Hashable, Rows]]:
    """The noise of every domain, and which columns of it these are: at most MOST_COLUMNS."""
    some = _some_columns(case)
    return some, {d: eps[:, some] for d, eps in case.noise.items()}


def _some_columns(case: Case) -> list[int]:
    return np.sort(case.rng(4).permutation(len(case.unit))[:MOST_COLUMNS]).tolist()


def _same_noise(case: Case) -> CheckedAssumption:
    """Smirnov's distance of each column's noise in a domain from that of all others, Bonferroni."""
    name, words = "same noise", "Once moved, rows vary alike whatever domain they came from."
    if case.small or not isinstance(case.model, Density):
        few = f"Fewer than {FEW} rows in {listed(case.small)}: too few to tell."
        return CheckedAssumption(
            name, words, Judgement("unknown", few if case.small else "Not checked.")
        )
    columns, noise = noise_columns(case)
    tests = [
        (ks_2samp(noise[d][:, i], _others(noise, d)[:, i]), f"{case.names[j]} in {d}")
        for d in noise
        for i, j in enumerate(columns)
    ]
    odd = _odd(tests)
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, 2 * LARGE_DISTANCE)
    fine = "Once moved, nothing tells the domains apart."
    return CheckedAssumption(
        name, words, Judgement(level, _found(odd, "largest difference, 0 to 1,", fine))
    )


def _same_shape(case: Case) -> CheckedAssumption:
    """Skewness of moved rows beside that of the target's own: see `same_shape`."""
    name, words = "same shape", "Once moved, rows are skewed alike whatever domain they came from."
    if case.small:
        few = f"Fewer than {FEW} rows in {listed(case.small)}: too few to tell."
        return CheckedAssumption(name, words, Judgement("unknown", few))
    columns = _some_columns(case)
    odd = skewed_apart(case, columns)
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, LARGE_SKEWNESS)
    fine = "Once moved, rows of all domains are skewed alike."
    return CheckedAssumption(
        name, words, Judgement(level, _found(odd, "difference of skewness", fine))
    )


def _others(noise: dict[Hashable, Rows], d: Hashable) -> Rows:
    return np.concatenate([eps for e, eps in noise.items() if e != d])


def _odd(tests: list[tuple[Any, str]]) -> list[tuple[float, str]]:
    """The tests that chance does not explain, each with its distance."""
    return [
        (float(test.statistic), where)
        for test, where in tests
        if test.pvalue < LEVEL / len(tests) and test.statistic > NOTICEABLE
    ]


def _normal(case: Case) -> CheckedAssumption:
    """Kolmogorov's distance of every noise from N(0, 1), Bonferroni over all."""
    columns, noise = noise_columns(case)
    tests = [
        (kstest(column, norm.cdf), f"hidden cause {j + 1} in {d}")
        for d, eps in noise.items()
        for j, column in zip(columns, eps.T, strict=True)
    ]
    odd = _odd(tests)
    level = graded(max((size for size, _ in odd), default=0.0), 0.0, LARGE_DISTANCE)
    return CheckedAssumption(
        "normal noise",
        "What varies from row to row follows a bell curve in every domain.",
        Judgement(
            level,
            _found(odd, "distance from the bell curve, 0 to 1,", "It does, as far as can be seen."),
        ),
    )


def _independent(case: Case) -> CheckedAssumption:
    """Correlations of noises, and of their sizes, within every domain, Bonferroni over all."""
    columns, noise = noise_columns(case)
    values = [
        (abs(r), len(eps), f"hidden causes {columns[i] + 1} and {columns[j] + 1} in {d}")
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
    return CheckedAssumption(
        "independent noise",
        "The hidden causes behind one row vary independently of each other.",
        Judgement(level, _found(odd, "correlation", "No two are noticeably dependent.")),
    )


def _shared(quality: FitQuality) -> CheckedAssumption:
    gains = [(f.dense_gain, f.domain) for f in quality.domains if f.dense_gain is not None]
    odd = [(gain.mean, f"{d}") for gain, d in gains if gain.surely > SMALL]
    level = worst(graded(gain.surely, SMALL, LARGE) for gain, _ in gains)
    fine = "Letting a domain differ in everything explains held-out rows no better."
    words = (
        _found(odd, "log-likelihood per row gained by letting it differ in everything", fine)
        if gains
        else "Not checked."
    )
    return CheckedAssumption(
        "sharing",
        "Domains differ in a few causes only; all else is the same everywhere.",
        Judgement(level, words),
    )


def _found(odd: list[tuple[float, str]], what: str, fine: str) -> str:
    worst_first = [f"{where} ({size:.2g})" for size, where in sorted(odd, reverse=True)]
    return f"Against it: {listed(worst_first, 3)}; {what} in brackets." if odd else fine


def same_direction(case: Case) -> CheckedAssumption:
    """That a noise keeps its sign, and how far answers differ where it does not."""
    price = mirrored_width(case)
    said = (
        f"Were it otherwise, answers would differ by {price:.2g} deviations of a column, typically."
        if price
        else ""
    )
    return _untestable(
        "same direction",
        "What makes a sample high in one domain makes it high in the others.",
        f"Rows seen in two domains can: pass them as pairs. {said}".strip(),
    )


def _untestable(name: str, words: str, remedy: str) -> CheckedAssumption:
    return CheckedAssumption(
        name, words, Judgement("unknown", f"No data of this kind can tell. {remedy}")
    )


def _untestable_ones(case: Case) -> tuple[CheckedAssumption, ...]:
    preferred = _untestable(
        "which of the equally good",
        "Of what the data cannot tell apart, the answer takes "
        f"{case.estimator.result_.principle}. That is a choice, not a finding.",
        "Look at the spread and at the intervals.",
    )
    return (*_UNTESTABLE, same_direction(case), preferred)


_UNTESTABLE = (
    _untestable(
        "same noise elsewhere",
        "A sample keeps what makes it individual when it comes from another domain.",
        "Rows seen in two domains can: pass them as pairs.",
    ),
    _untestable(
        "no selection",
        "Domains differ in how they measure or treat samples, not in which samples came to them.",
        "Compare what is known of the samples beside these columns.",
    ),
    _untestable(
        "as many causes as columns",
        "The columns hold all that matters: nothing was lost before they were measured.",
        "Add columns that you believe matter.",
    ),
)
