"""T1: two ILDs share their counterfactuals iff g' = g∘h₁⁻¹ and f'_d = h₁∘f_d∘h₂."""

from dataclasses import dataclass

import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.bijections import as_affine, compose, inverse, jacobians, push
from elsewhere.errors import AssumptionError
from elsewhere.model import ILD
from elsewhere.scm import AutoregressiveSCM, LinearSCM, MechanismSCM
from elsewhere.theory.verdict import (
    NUM_POINTS,
    Verdict,
    check_comparable,
    judge,
    probe_noise,
    relative_gap,
    rounding,
)


@dataclass(frozen=True)
class Characterisation:
    """(h₁, h₂) of two ILDs, and the verdict on f'_d = h₁∘f_d∘h₂ for every d."""

    h1: AbstractBijection
    h2: AbstractBijection
    verdict: Verdict


def equivalent_model(ild: ILD, h1: AbstractBijection, h2: AbstractBijection) -> ILD:
    """(g∘h₁⁻¹, {h₁∘f_d∘h₂}): counterfactually equivalent where autoregressive.

    The "construct" half of the characterisation theorem. Distributionally equivalent too when h₂
    keeps N(0, I). Raises AssumptionError where some h₁∘f_d∘h₂ is not autoregressive.
    """
    model = reexpressed(ild, h1, h2)
    for d, f in zip(model.domains, model.scms, strict=True):
        verdict = is_autoregressive(f)
        if not verdict:
            raise AssumptionError(
                f"h₁∘f_d∘h₂ must be autoregressive; in domain {d!r} it is not: its Jacobian has "
                f"an entry of relative size {verdict.largest_gap:.3g} above the diagonal."
            )
    return model


def reexpressed(ild: ILD, h1: AbstractBijection, h2: AbstractBijection) -> ILD:
    """(g∘h₁⁻¹, {h₁∘f_d∘h₂}), unchecked; linear SCMs stay `LinearSCM`."""
    scms = [_as_scm(compose(h1, f, h2)) for f in ild.scms]
    return ILD(compose(ild.mixing, inverse(h1)), scms, ild.domains)


def recover_transforms(
    a: ILD, b: ILD, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Characterisation:
    """h₁ = g'⁻¹∘g and h₂ = f_1⁻¹∘h₁⁻¹∘f'_1; equivalent iff the same h₂ serves every domain.

    The "recover" and "verify" halves of the characterisation theorem.
    """
    check_comparable(a, b)
    first = a.domains[0]
    h1 = compose(inverse(b.mixing), a.mixing)
    h2 = compose(inverse(a.scm(first)), inverse(h1), b.scm(first))
    eps = probe_noise(num_points, a.m)
    gaps = [_gap(compose(h1, a.scm(d), h2), b.scm(d), eps) for d in a.domains]
    limit = tolerance or rounding(a.dtype, exact=False)
    verdict = judge("f'_d = h₁∘f_d∘h₂ for every d", max(gaps), limit, num_points)
    return Characterisation(h1, h2, verdict)


def is_autoregressive(
    f: AbstractBijection, *, num_points: int = 32, tolerance: float | None = None
) -> Verdict:
    """[f(ε)]_j depends on ε_≤j alone: by construction, matrix or sampled Jacobian."""
    statement = "autoregressive"
    if isinstance(f, LinearSCM | AutoregressiveSCM | MechanismSCM):
        return judge(statement, 0.0, 0.0, 0)
    parts = as_affine(f)
    if parts is not None:
        gap = _upper_share(parts[0][None])
        return judge(statement, gap, tolerance or rounding(parts[0].dtype, exact=True), 0)
    slopes = np.asarray(jacobians(f, probe_noise(num_points, f.shape[0])))
    limit = tolerance or rounding(slopes.dtype, exact=False)
    return judge(statement, _upper_share(slopes), limit, num_points)


def _as_scm(f: AbstractBijection) -> AbstractBijection:
    parts = as_affine(f)
    if parts is None or _upper_share(parts[0][None]) > rounding(parts[0].dtype, exact=True):
        return f
    return LinearSCM.from_affine(np.tril(parts[0]), parts[1])


def _upper_share(matrices: Float[np.ndarray, "n m m"]) -> float:
    return float(np.abs(np.triu(matrices, 1)).max(initial=0.0) / np.abs(matrices).max())


def _gap(f: AbstractBijection, g: AbstractBijection, eps: Float[Array, "n m"]) -> float:
    return relative_gap(push(f, eps), push(g, eps))
