"""Affine and leaky bijections in plain NumPy: nothing to compile, and one matrix where one does."""

from collections.abc import Sequence
from dataclasses import dataclass

import flowjax.bijections as fb
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Float

from elsewhere.bijections.affine import Parts, as_affine
from elsewhere.bijections.leaky_relu import LeakyReLU

Rows = Float[np.ndarray, "n m"]
Stage = Parts | float  # (A, b); or the factor of negative entries
Step = tuple[AbstractBijection, bool]  # a bijection, and whether its inverse is meant


@dataclass(frozen=True)
class InNumpy:
    """x ↦ s_n(… s_1(x)), each s_i an affine map or a leaky rectifier, in float64."""

    stages: tuple[Stage, ...]

    def __call__(self, x: Rows) -> Rows:
        """The map of every row."""
        answer = np.asarray(x, float)
        for stage in self.stages:
            if isinstance(stage, tuple):
                answer = answer @ stage[0].T
                answer += stage[1]
            else:  # a third of the time that a choice by sign takes
                bent = answer * stage
                answer = (np.maximum if stage <= 1 else np.minimum)(answer, bent, out=bent)
        return answer

    def and_log_det(self, x: Rows) -> tuple[Rows, Float[np.ndarray, " n"]]:
        """The map of every row, and log|det| of its Jacobian there."""
        answer, log_det = np.asarray(x, float), np.zeros(len(x))
        for stage in self.stages:
            if isinstance(stage, tuple):
                log_det += np.linalg.slogdet(stage[0])[1]
            else:
                log_det += np.log(stage) * (answer < 0).sum(axis=1)
            answer = InNumpy((stage,))(answer)
        return answer, log_det


def in_numpy(steps: Sequence[Step]) -> InNumpy | None:
    """The bijections one after the other, neighbours that are affine folded into one matrix.

    None where one of them is neither affine nor a leaky rectifier.
    """
    found = [stage for step in steps for stage in _stages(*step)]
    known = [stage for stage in found if stage is not None]
    return None if len(known) < len(found) else InNumpy(tuple(_folded(known)))


def _stages(bijection: AbstractBijection, inverted: bool) -> list[Stage | None]:
    if isinstance(bijection, fb.Invert):
        return _stages(bijection.bijection, not inverted)  # type: ignore[arg-type]
    if isinstance(bijection, fb.Chain):
        order = reversed(bijection.bijections) if inverted else bijection.bijections
        return [stage for b in order for stage in _stages(b, inverted)]  # type: ignore[arg-type]
    if isinstance(bijection, LeakyReLU):
        return [1 / bijection.slope if inverted else bijection.slope]
    parts = as_affine(bijection)
    if parts is None:
        return [None]
    matrix, offset = (np.asarray(part, float) for part in parts)
    if not inverted:
        return [(matrix, offset)]
    inverse = np.linalg.inv(matrix)
    return [(inverse, -inverse @ offset)]


def _folded(stages: Sequence[Stage]) -> list[Stage]:
    answer: list[Stage] = []
    for stage in stages:
        last = answer[-1] if answer else None
        if isinstance(stage, tuple) and isinstance(last, tuple):
            answer[-1] = stage[0] @ last[0], stage[0] @ last[1] + stage[1]
        else:
            answer.append(stage)
    return answer
