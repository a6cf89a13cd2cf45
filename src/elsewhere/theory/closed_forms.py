"""Affine models in double precision, whatever the dtype of their parameters."""

from dataclasses import dataclass
from functools import reduce

import flowjax.bijections as fb
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Float

from elsewhere.bijections import Affine, as_affine
from elsewhere.errors import concrete
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from elsewhere.theory.rounding import balanced_inverse, cancellation, conditioning

Parts = tuple[Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]


@dataclass(frozen=True)
class Observations:
    """x = A_d ε + b_d per domain, and the conditioning κ_d by which rounding grows."""

    A: Float[np.ndarray, "D m m"]
    b: Float[np.ndarray, "D m"]
    kappa: Float[np.ndarray, " D"]


def affine_in_double(bijection: AbstractBijection) -> Parts | None:
    """(A, b) with bijection(x) = A x + b, folded in float64; None where not known to be affine."""
    match bijection:
        case fb.Invert():
            return _inverted(bijection.bijection)  # type: ignore[arg-type]
        case fb.Chain():
            return _folded([affine_in_double(layer) for layer in bijection.bijections])  # type: ignore[arg-type]
        case LinearSCM():
            return _linear_scm(bijection)
    parts = as_affine(bijection)
    return None if parts is None else (_double(parts[0]), _double(parts[1]))


def affine_model(ild: ILD, domains: tuple) -> Observations | None:
    """g∘f_d as x = A_d ε + b_d for every domain, or None where the model is not linear."""
    mixing = affine_in_double(ild.mixing)
    scms = [affine_in_double(ild.scm(d)) for d in domains]
    known = [parts for parts in scms if parts is not None]
    if mixing is None or len(known) < len(scms):
        return None
    G, g = mixing
    kappa = [
        conditioning(G, g, F, c)
        * max(latent_cancellation(ild.scm(d)), cancellation(mixing, folded_sizes(ild.mixing), F))
        for d, (F, c) in zip(domains, known, strict=True)
    ]
    return Observations(
        np.stack([G @ F for F, _ in known]),
        np.stack([G @ c + g for _, c in known]),
        np.array(kappa),
    )


def latent_cancellation(f: AbstractBijection) -> float:
    """`cancellation` of an affine SCM, whose inputs have unit deviation."""
    parts = affine_in_double(f)
    assert parts is not None
    return cancellation(parts, folded_sizes(f), np.eye(len(parts[1])))


def folded_sizes(bijection: AbstractBijection) -> Float[np.ndarray, "m m_plus_1"]:
    """|A_n| … |A_1| of the matrices [A, b] that an affine map was folded from."""
    return reduce(lambda done, size: size @ done, map(_square, _layers(bijection)))[:-1]


def _layers(bijection: AbstractBijection) -> list:
    """The maps that were composed, the first one first; those of an inverse backwards."""
    match bijection:
        case fb.Chain():
            layers = list(bijection.bijections)
        case fb.Invert() if isinstance(bijection.bijection, fb.Chain):
            layers = [*map(fb.Invert, reversed(bijection.bijection.bijections))]  # type: ignore[arg-type]
        case _:
            return [bijection]
    return [inner for layer in layers for inner in _layers(layer)]  # type: ignore[arg-type]


def _square(bijection: AbstractBijection) -> Float[np.ndarray, "m_plus_1 m_plus_1"]:
    """|[[A, b], [0, 1]]|."""
    parts = affine_in_double(bijection)
    assert parts is not None
    A, b = parts
    return np.abs(np.vstack([np.column_stack([A, b]), np.eye(len(b) + 1)[-1:]]))


def noise_rows(f: AbstractBijection) -> Float[np.ndarray, "m m_plus_1"] | None:
    """[f⁻¹]_j(z) = a_j · z + a_j0 as rows (a_j, a_j0), or None where f is not affine."""
    parts = _inverted(f)
    return None if parts is None else np.column_stack(parts)


def affine_like(parts: Parts, dtype: np.dtype) -> Affine:
    """The affine map in the dtype of a model."""
    return Affine(*(np.asarray(a, dtype) for a in parts))


def linear_scm_like(parts: Parts, dtype: np.dtype) -> LinearSCM:
    """z = F ε + b as a `LinearSCM`, rounded once, to the dtype of a model."""
    exact = LinearSCM.from_affine(np.tril(parts[0]), parts[1])
    return LinearSCM(*(np.asarray(a, dtype) for a in (exact.weights, exact.scale, exact.bias)))


def linear_identity(m: int, dtype: np.dtype) -> LinearSCM:
    """z = ε in the dtype of a model."""
    return LinearSCM(np.zeros((m, m), dtype), np.ones(m, dtype), np.zeros(m, dtype))


def _linear_scm(f: LinearSCM) -> Parts | None:
    rows = _linear_rows(f)
    if rows is None:
        return None
    inverse, offset = rows
    F = np.linalg.inv(inverse / np.diag(inverse)[:, None]) / np.diag(inverse)
    return np.tril(F), -np.tril(F) @ offset


def _linear_rows(f: LinearSCM) -> Parts | None:
    """f⁻¹(z) = S⁻¹ ((I − L) z − c), each row as it was given."""
    values = [concrete(a) for a in (f.weights, f.scale, f.bias)]
    if any(value is None for value in values):
        return None
    weights, scale, bias = map(_double, values)  # type: ignore[arg-type]
    return (np.eye(len(bias)) - np.tril(weights, -1)) / scale[:, None], -bias / scale


def _inverted(bijection: AbstractBijection) -> Parts | None:
    if isinstance(bijection, LinearSCM):
        return _linear_rows(bijection)
    parts = affine_in_double(bijection)
    if parts is None:
        return None
    inverse = balanced_inverse(parts[0])
    return inverse, -inverse @ parts[1]


def _folded(parts: list[Parts | None]) -> Parts | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    A, b = known[0]
    for matrix, offset in known[1:]:
        A, b = matrix @ A, matrix @ b + offset
    return A, b


def _double(a: np.ndarray) -> np.ndarray:
    return np.asarray(a, np.float64)
