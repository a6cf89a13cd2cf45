"""D3: which mechanisms differ between domains."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.model import ILD
from elsewhere.theory.closed_forms import affine_in_double, latent_cancellation, noise_rows
from elsewhere.theory.rounding import SLACK, check_tolerance, coarsest_eps, row_sizes
from elsewhere.theory.search import NUM_POINTS, RESOLVED, largest_differences


@dataclass(frozen=True)
class InterventionSet:
    """I = {j : gap_j > tolerance_j}, 0-based, with the gap and the tolerance of every mechanism.

    `gaps[j]` is the largest difference of [f_d⁻¹]_j between domains, in deviations of the noise:
    for linear SCMs its root mean square over the latents of a domain, else the largest at a point,
    relative to 1 + |ε_j|. `decided` is False where rounding alone may exceed 0.05 of a deviation.
    """

    indices: frozenset[int]
    gaps: tuple[float, ...]
    tolerances: tuple[float, ...]
    num_points: int
    exact: bool
    num_climbs: int = 0
    decided: bool = True

    def __len__(self) -> int:
        return len(self.indices)

    def __contains__(self, j: int) -> bool:
        return j in self.indices


def intervention_set(
    model: ILD | Sequence[AbstractBijection],
    *,
    num_points: int = NUM_POINTS,
    tolerance: float | None = None,
) -> InterventionSet:
    """I = {j : [f_d⁻¹]_j ≠ [f_d'⁻¹]_j for some d, d'} of an ILD, or of a list of SCMs.

    Definition "Intervention Set" with the proposition that characterises it by f⁻¹. Closed form
    where every SCM is linear; else compared at `num_points` latents of every domain, and climbed
    from the worst of them.
    """
    check_tolerance(tolerance)
    scms = model.scms if isinstance(model, ILD) else tuple(model)
    rows = [noise_rows(f) for f in scms]
    if all(row is not None for row in rows):
        gaps, rounding = _closed_form(scms, np.stack(rows))  # type: ignore[arg-type]
        limits = rounding if tolerance is None else np.full(len(gaps), float(tolerance))
        decided = tolerance is not None or bool((rounding <= RESOLVED).all())
        return _found(gaps, limits, 0, 0, decided=decided)
    found = largest_differences(
        _noise_gaps, scms, scms[0].shape[0], num_points=num_points, tolerance=tolerance, each=True
    )
    return _found(
        found.gaps, found.tolerances, num_points, found.num_climbs, decided=found.resolved
    )


def _closed_form(
    scms: tuple[AbstractBijection, ...], rows: Float[np.ndarray, "D m m_plus_1"]
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]]:
    """(gap, rounding) by mechanism: rows that are equal to the bit have a gap of exactly 0."""
    laws = [affine_in_double(f) for f in scms]
    gaps, sizes = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    for law, own in zip(laws, rows, strict=True):
        assert law is not None
        F, c = law
        change = rows - own
        shift = change[..., :-1] @ c + change[..., -1]
        gaps = np.maximum(gaps, np.sqrt(row_sizes(change[..., :-1] @ F) ** 2 + shift**2).max(0))
        size = np.abs(own[:, :-1]) @ (row_sizes(F) + np.abs(c)) + np.abs(own[:, -1])
        sizes = np.maximum(sizes, size)
    return gaps, SLACK * coarsest_eps(scms) * max(map(latent_cancellation, scms)) * sizes


def _noise_gaps(
    scms: tuple[AbstractBijection, ...], eps: Float[Array, " m"]
) -> Float[Array, "D D m"]:
    """([f_d'⁻¹∘f_d(ε)]_j − ε_j) / (1 + |ε_j|) for every d' and d."""
    z = jnp.stack([f.transform(eps) for f in scms])
    noise = jnp.stack([jax.vmap(f.inverse)(z) for f in scms])
    return (noise - eps) / (1 + jnp.abs(eps))


def _found(
    gaps: np.ndarray, limits: np.ndarray, num_points: int, num_climbs: int, *, decided: bool
) -> InterventionSet:
    indices = frozenset(int(j) for j in np.flatnonzero(~(gaps <= limits)))
    sizes, tolerances = (tuple(map(float, a)) for a in (gaps, limits))
    exact = num_points == 0
    return InterventionSet(indices, sizes, tolerances, num_points, exact, num_climbs, decided)
