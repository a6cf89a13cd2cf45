"""Plant truths, and see who finds them: a fit like this one, and every baseline."""

from collections.abc import Hashable
from dataclasses import dataclass

import jax
import numpy as np
from jaxtyping import Float

from elsewhere.baselines import Baseline, available
from elsewhere.baselines.words import in_words
from elsewhere.estimators import in_blocks
from elsewhere.fitting import fit
from elsewhere.fitting.moments import AffineMap, Moments
from elsewhere.fitting.progress import Progress, part_of, silent
from elsewhere.movers import Density, Mover
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement
from elsewhere.trust.truths import truths

OURS = "elsewhere"
FITTED = "the fitted model"
TEST_ROWS = 300
MOST_DOMAINS = 5  # between which answers are compared; of more, this many are drawn
MOST_COLUMNS = 500  # up to which every explanation is planted, and not the fitted model alone
DRAWS, FEW_COLUMNS = 3, 50  # draws of each truth, where columns are so few that it is quick
AGAIN = 0.7  # of the time, about, is the fit's; the baselines take the rest
BEHIND, FAR_BEHIND = 1.05, 1.5  # times the best baseline's error
Rows = Float[np.ndarray, "n m"]
Tables = dict[Hashable, Float[np.ndarray, "_ m"]]


@dataclass(frozen=True)
class Planted:
    """Mean squared errors, in within-domain variances, on data simulated from known truths.

    Attributes:
        errors: by method, least first, where the fitted model is the truth; "identity" does
            nothing.
        by_truth: the same for every truth that was planted, the fitted model first.
        rows: simulated rows per domain to fit on.
        between: the domains between which answers are compared.
    """

    errors: dict[str, float]
    by_truth: dict[str, dict[str, float]]
    rows: dict[Hashable, int]
    verdict: Judgement
    between: tuple[Hashable, ...] = ()


def planted_truth(case: Case, progress: Progress = silent) -> Planted:
    """Simulate from each explanation of the ladder, fit again, and compare with the baselines.

    It says what a fit of this size can find if that explanation is right; it cannot say which is.
    A model with mechanisms, which takes long to fit, is planted alone.
    """
    tables = {d: rows for d, rows in case.linked.items() if len(rows) > 1}
    known = _known_truths(case, tables) if len(tables) > 1 else {}
    between, found = _compared(case, tables), {}
    for i, (name, truth) in enumerate(known.items()):
        told = part_of(progress, i / len(known), (i + 1) / len(known))
        found[name] = _errors(case, truth, tables, between, told)
    found = {name: errors for name, errors in found.items() if errors["identity"] > 0}
    rows = {d: len(table) for d, table in tables.items()}
    return Planted(found.get(FITTED, {}), found, rows, planted_verdict(found), between)


def _compared(case: Case, tables: Tables) -> tuple[Hashable, ...]:
    """All domains; some of them, drawn, where pairs of all would take long."""
    names = tuple(tables)
    drawn = case.rng(6).permutation(len(names))[:MOST_DOMAINS]
    return tuple(names[i] for i in sorted(drawn))


def _known_truths(case: Case, tables: Tables) -> dict[str, Density]:
    model = case.model
    if not isinstance(model, Density):
        return {}
    if not isinstance(model, AffineMap) or len(case.unit) > MOST_COLUMNS:
        return {FITTED: model}
    return {FITTED: model, **truths(tables, model, case.rng(5))}


def _errors(
    case: Case,
    truth: Density,
    tables: Tables,
    between: tuple[Hashable, ...],
    progress: Progress,
) -> dict[str, float]:
    """The error of every method on rows drawn from one truth, least first."""
    times = DRAWS if isinstance(truth, AffineMap) and len(case.unit) <= FEW_COLUMNS else 1
    drawn = []
    for i in range(times):
        told = part_of(progress, i / times, (i + 1) / times)
        drawn.append(_drawn(case, truth, tables, between, case.rng(20 + i), told))
    found = {name: float(np.mean([errors[name] for errors in drawn])) for name in drawn[0]}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _drawn(
    case: Case,
    truth: Density,
    tables: Tables,
    between: tuple[Hashable, ...],
    rng: np.random.Generator,
    progress: Progress,
) -> dict[str, float]:
    train = {d: _draw(rng, truth, d, len(rows)) for d, rows in tables.items()}
    test = {d: _draw(rng, truth, d, TEST_ROWS) for d in between}
    unit = np.sqrt(np.mean([rows.var(axis=0) for rows in train.values()], axis=0))
    answers = {OURS: _answers(_refit(case, train, part_of(progress, 0.0, AGAIN)), test)}
    progress(AGAIN, "simpler methods")
    answers |= {name: _baseline(kind, train, test) for name, kind in available().items()}
    right = _answers(truth, test)
    return {name: _error(answer, right, unit) for name, answer in answers.items()}


def _draw(rng: np.random.Generator, model: Density, d: Hashable, n: int) -> Rows:
    return in_blocks.made(model, rng.standard_normal((n, model.m)), d)


def _refit(case: Case, train: Tables, progress: Progress) -> Mover:
    """The engine that fitted the model, once more; no search where it found none to be needed."""
    estimator, key = case.estimator, jax.random.key(case.seed)
    if isinstance(case.model, AffineMap):
        carried = getattr(estimator.engine_, "carried", Moments().carried)
        units = estimator.space_.units
        engine = Moments(carried)
        return fit(key, train, k="auto", engine=engine, progress=progress, units=units).model
    k, engine = estimator.result_.k, estimator.engine_
    return fit(key, train, k=k, engine=engine, progress=progress).model


def _baseline(kind: type[Baseline], train: Tables, test: Tables) -> list[Rows]:
    fitted = kind().fit_between(train, test)
    return [fitted.move(test[d], d=d, d_prime=e) for d in test for e in test if d != e]


def _answers(model: Mover, test: Tables) -> list[Rows]:
    return [in_blocks.move(model, test[d], d, e) for d in test for e in test if d != e]


def _error(answers: list[Rows], truth: list[Rows], unit: Float[np.ndarray, " m"]) -> float:
    pairs = zip(answers, truth, strict=True)
    return float(np.mean([(((a - t) / unit) ** 2).mean() for a, t in pairs]))


def best_baseline(errors: dict[str, float]) -> str:
    """The baseline with the least error."""
    return min((name for name in errors if name != OURS), key=lambda name: errors[name])


def planted_verdict(found: dict[str, dict[str, float]]) -> Judgement:
    """Good if no baseline is ahead on any truth, bad if one is far ahead where the fit is true."""
    if not found:
        words = "The fitted domains are alike: there is no difference to find."
        return Judgement("unknown", words)
    if all(errors[OURS] > 0.99 * errors["identity"] for errors in found.values()):
        words = "With this many rows, differences as small as these could not be found."
        return Judgement("unknown", words, remedy="Collect more rows.")
    ratios = {name: e[OURS] / e[best_baseline(e)] for name, e in found.items()}
    behind = [name for name, e in found.items() if e[OURS] > BEHIND * e[best_baseline(e)]]
    furthest = max(ratios, key=lambda name: ratios[name])
    measure = _measure(ratios[furthest])
    ahead = f"{len(found) - len(behind)} of {len(found)} kinds of difference"
    words = (
        "On simulated rows whose answer is known, a fit like this one does as well as the best "
        f"simple method for {ahead}."
    )
    if not behind:
        return Judgement("good", words, measure)
    e = found.get(FITTED)
    level = "bad" if e and e[OURS] > FAR_BEHIND * e[best_baseline(e)] else "caution"
    better = in_words(best_baseline(found[furthest]))
    told = f"{words} It is furthest behind for {furthest}, where “{better}” is better."
    remedy = f"Compare with “{better}”, which is simpler, before you decide."
    return Judgement(level, told, measure, remedy)


def _measure(ratio: float) -> str:
    return (
        f"Its error is at most {ratio:.2f} times that of the best simple method. Fine up to "
        f"{BEHIND:g}, poor from {FAR_BEHIND:g}."
    )
