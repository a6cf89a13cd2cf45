"""Numerical health: does a row come back, and how much does g stretch?"""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.bijections import jacobians, pull, push
from elsewhere.estimators import in_blocks
from elsewhere.fitting.moments import AffineMap
from elsewhere.model import ILD
from elsewhere.trust.case import Case, Rows
from elsewhere.trust.judgement import Judgement, Level, graded, worst

ROWS = 200
BACK = 1e-2, 0.1  # deviations: more is a caution, from the second on bad


@dataclass(frozen=True)
class Conditioning:
    """In within-domain deviations of link space.

    Attributes:
        round_trip: the largest change of a row by g∘g⁻¹.
        there_and_back: the largest change of a row moved to another domain and back.
        median_condition: of the Jacobian of g over the rows, units taken out.
        largest_condition: the worst of them.

    All but `there_and_back` are None for a model that has no mixing g.
    """

    round_trip: float | None
    there_and_back: float
    median_condition: float | None
    largest_condition: float | None
    verdict: Judgement


def conditioning(case: Case) -> Conditioning:
    """Round-trip errors, and the condition numbers of g where the rows are."""
    back = max(_there_and_back(case, d, e) for d, e in case.pairs)
    if isinstance(case.model, ILD):
        return _of_mixing(case, case.model, back)
    return Conditioning(None, back, None, None, _without_mixing(case, back))


def _without_mixing(case: Case, back: float) -> Judgement:
    """Whether rows come back, if they are meant to."""
    if isinstance(case.model, AffineMap) and case.model.carried < 1:
        return Judgement(
            "unknown",
            "What looks like noise of the measurement is not carried along in full (see the "
            "notes), so rows moved there and back need not return to where they were.",
        )
    return _said(graded(back, *BACK), back)


def _said(level: Level, back: float) -> Judgement:
    measure = (
        f"Rows moved there and back miss by {back:.1g} standard deviations at most. Fine up to "
        f"{BACK[0]:g}, poor from {BACK[1]:g}."
    )
    if level == "good":
        return Judgement(level, "The arithmetic is sound: rows moved there return.", measure)
    return Judgement(
        level,
        "The arithmetic is strained: small changes of a row can change its answer a lot.",
        measure,
        "Leave out columns that nearly repeat others, and fit again.",
    )


def _of_mixing(case: Case, model: ILD, back: float) -> Conditioning:
    rows = np.concatenate([rows[:ROWS] for rows in case.linked.values()])
    trip = _largest(_round_trip(model, rows) - rows, case)
    conditions = _conditions(case, model, rows)
    largest = float(conditions.max())
    level = worst([graded(max(trip, back), *BACK), graded(largest, 1e4, 1e6)])
    verdict = _said(level, max(trip, back))
    return Conditioning(trip, back, float(np.median(conditions)), largest, verdict)


def _round_trip(model: ILD, rows: Rows) -> Rows:
    x = jnp.asarray(rows, model.dtype)
    return np.asarray(push(model.mixing, pull(model.mixing, x)), float)


def _there_and_back(case: Case, d: object, e: object) -> float:
    there = in_blocks.move(case.model, case.linked[d][:ROWS], d, e)  # type: ignore[index]
    return _largest(in_blocks.move(case.model, there, e, d) - case.linked[d][:ROWS], case)  # type: ignore[index]


def _largest(change: Rows, case: Case) -> float:
    return float(np.abs(change / case.unit).max())


def _conditions(case: Case, model: ILD, rows: Rows) -> Float[np.ndarray, " n"]:
    """Of ∂x/∂z, both in deviations, so that neither units nor latent scales count."""
    z = pull(model.mixing, jnp.asarray(rows, model.dtype))
    J = np.asarray(jacobians(model.mixing, z), float)
    return np.linalg.cond(J / case.unit[:, None] * np.asarray(z, float).std(axis=0))
