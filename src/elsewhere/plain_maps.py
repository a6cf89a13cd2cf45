"""Affine and leaky maps in plain NumPy, from their arrays alone: nothing that loads JAX."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from elsewhere.errors import AssumptionError

Rows = Float[np.ndarray, "n m"]
Parts = tuple[Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]
Stage = Parts | float  # (A, b); or the factor of negative entries


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


def leaky_stage(slope: float, inverted: bool) -> Stage:
    """A leaky rectifier, or its inverse."""
    return 1 / slope if inverted else slope


def affine_stage(parts: Parts, inverted: bool) -> Stage:
    """x ↦ A x + b, or its inverse."""
    matrix, offset = (np.asarray(part, float) for part in parts)
    if not inverted:
        return matrix, offset
    inverse = np.linalg.inv(matrix)
    return inverse, -inverse @ offset


def folded(stages: Sequence[Stage]) -> InNumpy:
    """One stage after the other, neighbours that are affine as one matrix."""
    answer: list[Stage] = []
    for stage in stages:
        last = answer[-1] if answer else None
        if isinstance(stage, tuple) and isinstance(last, tuple):
            answer[-1] = stage[0] @ last[0], stage[0] @ last[1] + stage[1]
        else:
            answer.append(stage)
    return InNumpy(tuple(answer))


def mechanism_parts(
    weights: Float[np.ndarray, "m m"],
    scale: Float[np.ndarray, " m"],
    bias: Float[np.ndarray, " m"],
) -> Parts:
    """(F, b) of z = F ε + b, where z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j."""
    total = total_effects(weights)
    return total * scale, total @ bias


def total_effects(weights: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """(I − L)⁻¹, of which only the strictly lower triangle is read."""
    m = weights.shape[0]
    return inverse_lower(np.eye(m, dtype=weights.dtype) - weights * np.tri(m, k=-1, dtype=bool))


def inverse_lower(matrix: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """A⁻¹ of a lower-triangular A, by forward substitution."""
    identity = np.eye(matrix.shape[0], dtype=matrix.dtype)
    inverse = identity
    for j, row in enumerate(matrix):
        inverse[j] = (identity[j] - row[:j] @ inverse[:j]) / row[j]
    return inverse


def check_invertible(value: np.ndarray) -> None:
    """Raise unless the matrix is square, finite and invertible in its own precision."""
    if value.ndim != 2 or value.shape[0] != value.shape[1]:
        raise ValueError(f"matrix must be square; got shape {value.shape}.")
    if not np.isfinite(value).all():
        raise ValueError("matrix must be finite; it holds NaN or inf.")
    condition = _balanced_condition(value)
    if not condition < 0.1 / np.finfo(value.dtype).eps:
        raise AssumptionError(
            f"matrix must be invertible in {value.dtype}: the mixing and every f_d are bijections; "
            f"with rows and columns rescaled its condition number is still {condition:.3g}. "
            "Drop redundant columns, or use float64."
        )


def _balanced_condition(matrix: Float[np.ndarray, "m m"]) -> float:
    """The condition number once rows and columns have unit size: units alone make none singular."""
    rows = np.abs(matrix).max(axis=1, keepdims=True)
    scaled = matrix / np.where(rows > 0, rows, 1.0)
    columns = np.abs(scaled).max(axis=0)
    return float(np.linalg.cond(scaled / np.where(columns > 0, columns, 1.0)))
