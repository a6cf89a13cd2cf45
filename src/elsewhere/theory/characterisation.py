"""T1: two ILDs share their counterfactuals iff g' = g∘h₁⁻¹ and f'_d = h₁∘f_d∘h₂."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain
from jaxtyping import Array, Float

from elsewhere.bijections import compose, inverse
from elsewhere.errors import AssumptionError
from elsewhere.model import ILD
from elsewhere.scm import AdditiveSCM, AutoregressiveSCM, LinearSCM, MechanismSCM
from elsewhere.theory.closed_forms import (
    affine_in_double,
    affine_like,
    affine_model,
    latent_cancellation,
    linear_scm_like,
)
from elsewhere.theory.equivalence import counterfactually_equivalent
from elsewhere.theory.rounding import SLACK, coarsest_eps, row_sizes
from elsewhere.theory.search import NUM_POINTS, largest_differences
from elsewhere.theory.verdict import Verdict, check_comparable, judge, judge_found


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
    """(g∘h₁⁻¹, {h₁∘f_d∘h₂}), unchecked; what is affine is folded in float64 and rounded once."""
    scms = [_scm(h1, f, h2, ild.dtype) for f in ild.scms]
    return ILD(composed(ild.dtype, ild.mixing, inverse(h1)), scms, ild.domains)


def composed(dtype: np.dtype, *bijections: AbstractBijection) -> AbstractBijection:
    """b_1 ∘ … ∘ b_n, the last applied first; one matrix of the given dtype where it is affine."""
    parts = affine_in_double(Chain(bijections[::-1]))
    return compose(*bijections) if parts is None else affine_like(parts, dtype)


def recover_transforms(
    a: ILD, b: ILD, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Characterisation:
    """h₁ = g'⁻¹∘g and h₂ = f_1⁻¹∘h₁⁻¹∘f'_1; equivalent iff the same h₂ serves every domain.

    The "recover" and "verify" halves of the characterisation theorem. The gap is that between the
    noise that f'_d reads off h₁∘f_d∘h₂(ε) and ε, relative to 1 + |ε|; for linear models that of
    `counterfactually_equivalent`, a closed form.
    """
    check_comparable(a, b)
    first = a.domains[0]
    h1 = compose(inverse(b.mixing), a.mixing)
    h2 = compose(inverse(a.scm(first)), inverse(h1), b.scm(first))
    statement = "f'_d = h₁∘f_d∘h₂ for every d"
    if affine_model(a, a.domains) is not None and affine_model(b, a.domains) is not None:
        same = counterfactually_equivalent(a, b, tolerance=tolerance)
        return Characterisation(h1, h2, replace(same, statement=statement))
    ours, theirs = (tuple(model.scm(d) for d in a.domains) for model in (a, b))
    models = (h1, h2, ours, theirs)
    found = largest_differences(
        _transform_gaps, models, a.m, num_points=num_points, tolerance=tolerance
    )
    return Characterisation(h1, h2, judge_found(statement, found))


def is_autoregressive(
    f: AbstractBijection, *, num_points: int = NUM_POINTS, tolerance: float | None = None
) -> Verdict:
    """[f(ε)]_j depends on ε_≤j alone: by construction, by its matrix, or as far as was looked.

    The gap is the largest entry of the Jacobian above the diagonal, relative to the length of its
    row, or, for jumps, what [f(ε)]_j changes by with the noises after j, over that and its slope.
    """
    statement = "autoregressive"
    if isinstance(f, LinearSCM | AdditiveSCM | AutoregressiveSCM | MechanismSCM):
        return judge(statement, 0.0, 0.0, 0.0)
    parts = affine_in_double(f)
    if parts is not None:
        gap = (np.abs(np.triu(parts[0], 1)) / row_sizes(parts[0])[:, None]).max(initial=0.0)
        return judge(
            statement, float(gap), tolerance, SLACK * coarsest_eps(f) * latent_cancellation(f)
        )
    found = largest_differences(
        _upper_shares, f, f.shape[0], num_points=num_points, tolerance=tolerance
    )
    return judge_found(statement, found)


def _scm(
    h1: AbstractBijection, f: AbstractBijection, h2: AbstractBijection, dtype: np.dtype
) -> AbstractBijection:
    """h₁∘f∘h₂; a `LinearSCM` where it is affine and, up to rounding, lower triangular."""
    layers = [affine_in_double(b) for b in (h2, f, h1)]
    folded = affine_in_double(Chain([h2, f, h1]))
    known = [np.abs(layer[0]) for layer in layers if layer is not None]
    if folded is None:
        return compose(h1, f, h2)
    bound = SLACK * coarsest_eps(h1, f, h2) * (known[2] @ known[1] @ known[0])
    if (np.abs(np.triu(folded[0], 1)) <= bound).all():
        return linear_scm_like(folded, dtype)
    return affine_like(folded, dtype)


def _transform_gaps(models: tuple, eps: Float[Array, " m"]) -> Float[Array, "D m"]:
    """([f'_d⁻¹∘h₁∘f_d∘h₂](ε) − ε) / (1 + |ε|) for every d."""
    h1, h2, ours, theirs = models
    start = h2.transform(eps)
    read = [g.inverse(h1.transform(f.transform(start))) for f, g in zip(ours, theirs, strict=True)]
    return (jnp.stack(read) - eps) / (1 + jnp.abs(eps))


def _upper_shares(f: AbstractBijection, eps: Float[Array, " m"]) -> Float[Array, "m_plus_1 m"]:
    """∂f_j/∂ε_i above the diagonal over the length of row j, and jumps so; the last axis is j."""
    jacobian = jax.jacfwd(f.transform)(eps)
    sizes, jumps = jnp.linalg.norm(jacobian, axis=1), _jumps(f, eps)
    return jnp.vstack([(jnp.triu(jacobian, 1) / sizes[:, None]).T, jumps / (jumps + sizes)])


def _jumps(f: AbstractBijection, eps: Float[Array, " m"]) -> Float[Array, " m"]:
    """|change of f_j| when only the noises after j are exchanged for others."""
    kept = jnp.where(jnp.tri(len(eps), dtype=bool), eps, 0.7 * eps[::-1] - 0.3)
    return jnp.abs(jnp.diagonal(jax.vmap(f.transform)(kept)) - f.transform(eps))
