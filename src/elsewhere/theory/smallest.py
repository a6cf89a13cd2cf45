"""What counterfactually equivalent models do share: the smallest number of interventions."""

from dataclasses import dataclass

import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Float

from elsewhere.bijections import Affine, inverse
from elsewhere.errors import AssumptionError
from elsewhere.model import ILD
from elsewhere.theory.characterisation import composed
from elsewhere.theory.closed_forms import (
    Parts,
    affine_in_double,
    linear_identity,
    linear_scm_like,
)
from elsewhere.theory.rounding import SLACK, check_tolerance, coarsest_eps, conditioning
from elsewhere.theory.search import RESOLVED


@dataclass(frozen=True)
class SmallestForm:
    """The smallest |I| over an equivalence class, and a member that has it.

    `size` is the number of singular values of [Φ_d − I, φ_d]_d above `tolerance`, where
    z ↦ Φ_d z + φ_d moves latents from the first domain to d; the others, in `singular_values`,
    are 0 up to rounding. `ild` is in identity canonical form and equivalent in both senses;
    its latents are `rotation` times those of the model once f_1 = Id.
    """

    size: int
    ild: ILD
    rotation: Float[np.ndarray, "m m"]
    singular_values: tuple[float, ...]
    tolerance: float


def smallest_form(ild: ILD, *, tolerance: float | None = None) -> SmallestForm:
    """min |I| = rank [Φ_d − I, φ_d]_d over all ILDs equivalent to `ild` by affine h₁, h₂.

    The span U of all displacements z_{1→d} − z is mapped into itself by every Φ_d. Latents that
    stay must be constant along U, so no more than m − dim U of them can; an orthonormal basis
    that completes Uᗮ by one of U in which all Φ_d are triangular reaches that number.

    Raises AssumptionError where rounding may hide more than 0.05 deviations.
    """
    check_tolerance(tolerance)
    moves = [_from_first(ild, f) for f in ild.scms[1:]]
    displacements = np.column_stack(
        [np.zeros((ild.m, 1)), *(np.column_stack([P - np.eye(ild.m), p]) for P, p in moves)]
    )
    left, values, _ = np.linalg.svd(displacements)
    limit = _resolved(_rounding(ild)) if tolerance is None else tolerance
    size = int((values > limit).sum())
    R = _adapted_basis(left[:, size:], limit)
    model = _rotated(ild, moves, R, size)
    return SmallestForm(size, model, R, tuple(map(float, values)), float(limit))


def _resolved(rounding: float) -> float:
    """What rounding may hide, if that is little: else interventions would be missed in silence."""
    if rounding <= RESOLVED:
        return rounding
    raise AssumptionError(
        f"rounding may hide displacements of {rounding:.3g} deviations in these SCMs, so the "
        "number of interventions is unknown. Use float64, or say with tolerance= what to ignore."
    )


def _from_first(ild: ILD, f: AbstractBijection) -> Parts:
    """Φ_d, φ_d of f_1⁻¹∘f_d: the latents of domain d where those of the first are N(0, I)."""
    own, first = affine_in_double(f), affine_in_double(inverse(ild.scms[0]))
    if own is None or first is None:
        raise AssumptionError(
            "smallest_form needs linear SCMs in every domain, because it compares affine maps; "
            "for others intervention_set(identity_canonical_form(ild).ild) is an upper bound."
        )
    return first[0] @ own[0], first[0] @ own[1] + first[1]


def _adapted_basis(still: Float[np.ndarray, "m s"], limit: float) -> Float[np.ndarray, "m m"]:
    """Rows: an orthonormal basis of Uᗮ (`still`), then one of U with [u_j, …] = U ∩ [e_i, …].

    The spans of the last latents are mapped into themselves by every triangular Φ_d, hence their
    intersections with U are, too: the basis vectors are found from the smallest one upwards.
    """
    m, s = still.shape
    found: list[Float[np.ndarray, " m"]] = []
    for i in range(m - 1, -1, -1):
        if len(found) == m - s:
            break
        _, values, right = np.linalg.svd(still[i:].T)
        null = right[(values > max(limit, 1e-12)).sum() :]
        inside = np.zeros((len(null), m))
        inside[:, i:] = null
        for u in found:
            inside -= np.outer(inside @ u, u)
        if len(inside) > len(found):
            found.append(np.linalg.svd(inside)[2][0])
    return np.stack([*still.T, *reversed(found)])


def _rotated(ild: ILD, moves: list[Parts], R: Float[np.ndarray, "m m"], size: int) -> ILD:
    """g' = g∘f_1∘Rᵀ and f'_d = R∘(Φ_d, φ_d)∘Rᵀ, rows that stay exactly the identity's."""
    cut, dtype = ild.m - size, ild.dtype
    scms = [linear_identity(ild.m, dtype)]
    for P, p in moves:
        F, c = np.tril(R @ P @ R.T), R @ p
        F[:cut], c[:cut] = np.eye(ild.m)[:cut], 0.0
        scms.append(linear_scm_like((F, c), dtype))
    mixing = composed(dtype, ild.mixing, ild.scms[0], Affine(R.T))
    return ILD(mixing, scms, ild.domains)


def _rounding(ild: ILD) -> float:
    """`SLACK` · eps · κ of the maps f_1⁻¹∘f_d, which do not involve the mixing."""
    laws = [affine_in_double(f) for f in ild.scms]
    eye, zero = np.eye(ild.m), np.zeros(ild.m)
    kappas = [conditioning(eye, zero, F, c) for F, c in laws]  # type: ignore[misc]
    sizes = [np.linalg.norm(P, 2) for P, _ in (_from_first(ild, f) for f in ild.scms)]
    return SLACK * coarsest_eps(ild.scms) * max(kappas) * float(max(sizes))
