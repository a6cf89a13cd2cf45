"""Plant a truth like the fit, and see who finds it: the fit again, and every baseline."""

from collections.abc import Hashable
from dataclasses import dataclass

import jax
import numpy as np
from jaxtyping import Float

from elsewhere.baselines import Baseline, available
from elsewhere.estimators import in_blocks
from elsewhere.estimators.fit_tables import fit_tables
from elsewhere.model import ILD
from elsewhere.queries import Mover
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement, percent

OURS = "elsewhere"
TEST_ROWS = 300
Rows = Float[np.ndarray, "n m"]
Tables = dict[Hashable, Float[np.ndarray, "_ m"]]


@dataclass(frozen=True)
class Planted:
    """Mean squared errors, in within-domain variances, on data simulated from the fitted model.

    Attributes:
        errors: by method, least first; "identity" does nothing.
        rows: simulated rows a domain to fit on.
    """

    errors: dict[str, float]
    rows: dict[Hashable, int]
    verdict: Judgement


def planted_truth(case: Case) -> Planted:
    """Simulate from the fitted model, fit again, and compare with the baselines.

    It says what a fit of this size can find if the model is right; it cannot say whether it is.
    """
    rng = case.rng(2)
    train = {d: _draw(rng, case.model, d, len(rows)) for d, rows in case.linked.items()}
    test = {d: _draw(rng, case.model, d, TEST_ROWS) for d in case.linked}
    unit = np.sqrt(np.mean([rows.var(axis=0) for rows in train.values()], axis=0))
    truth = _answers(case.model, test)
    answers = {OURS: _answers(_refit(case, train), test)}
    answers |= {name: _baseline(kind, train, test) for name, kind in available().items()}
    found = {name: _error(answer, truth, unit) for name, answer in answers.items()}
    errors = dict(sorted(found.items(), key=lambda item: item[1]))
    return Planted(errors, {d: len(rows) for d, rows in train.items()}, _verdict(errors))


def _draw(rng: np.random.Generator, model: ILD, d: Hashable, n: int) -> Rows:
    return in_blocks.made(model, rng.standard_normal((n, model.m)), d)


def _refit(case: Case, train: Tables) -> Mover:
    estimator = case.estimator
    key, k = jax.random.key(case.seed), estimator.result_.k
    return fit_tables(key, train, k, estimator.engine_).model


def _baseline(kind: type[Baseline], train: Tables, test: Tables) -> list[Rows]:
    fitted = kind().fit(train)
    return [fitted.move(test[d], d=d, d_prime=e) for d in test for e in test if d != e]


def _answers(model: Mover, test: Tables) -> list[Rows]:
    return [in_blocks.move(model, test[d], d, e) for d in test for e in test if d != e]


def _error(answers: list[Rows], truth: list[Rows], unit: Float[np.ndarray, " m"]) -> float:
    pairs = zip(answers, truth, strict=True)
    return float(np.mean([(((a - t) / unit) ** 2).mean() for a, t in pairs]))


def _verdict(errors: dict[str, float]) -> Judgement:
    ours, nothing = errors[OURS], errors["identity"]
    best = next(name for name in errors if name != OURS)
    beside = f"the best baseline, {best}, {errors[best]:.3g}; doing nothing {nothing:.3g}"
    words = f"a fit to data simulated from this model has error {ours:.3g}, {beside}"
    if nothing == 0:
        return Judgement(
            "unknown", "The fitted domains are alike: there is no shift to find again."
        )
    if ours <= errors[best]:
        share = percent(ours / nothing)
        return Judgement("good", f"If the model is right, it can be found: {words} ({share} left).")
    if ours <= nothing:
        return Judgement("caution", f"Even if the model is right, a baseline does better: {words}.")
    return Judgement("bad", f"Even if the model is right, doing nothing is better: {words}.")
