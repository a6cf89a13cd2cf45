"""D3: which mechanisms differ between domains."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.bijections import as_affine, inverse, pull, push
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from elsewhere.theory.verdict import NUM_POINTS, probe_noise, rounding


@dataclass(frozen=True)
class InterventionSet:
    """I = {j : gap_j > tolerance}, 0-based, with the gap of every mechanism.

    `gaps[j]` is the largest difference of [f_d⁻¹]_j between domains, relative to its own size.
    """

    indices: frozenset[int]
    gaps: tuple[float, ...]
    tolerance: float
    num_points: int
    exact: bool

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
    where every SCM is linear; else compared at `num_points` latents of every domain.
    """
    scms = model.scms if isinstance(model, ILD) else tuple(model)
    rows = [_noise_rows(f) for f in scms]
    if all(row is not None for row in rows):
        return _verdict(_relative(np.stack(rows)), tolerance, 0)  # type: ignore[arg-type]
    eps = probe_noise(num_points, scms[0].shape[0])
    return _verdict(_sampled_gaps(scms, eps), tolerance, num_points)


def _noise_rows(f: AbstractBijection) -> Float[np.ndarray, "m m_plus_1"] | None:
    """[f⁻¹]_j(z) = a_j · z + a_j0 as rows (a_j, a_j0), or None where f is not affine."""
    parts = as_affine(inverse(f))
    if parts is None:
        return None
    if isinstance(f, LinearSCM):  # its rows as they were given, not rounded by two inversions
        weights, scale, bias = (np.asarray(a) for a in (f.weights, f.scale, f.bias))
        return np.column_stack([np.eye(len(bias)) - np.tril(weights, -1), -bias]) / scale[:, None]
    return np.column_stack(parts)


def _relative(values: Float[np.ndarray, "D m ..."]) -> Float[np.ndarray, " m"]:
    """max over d and points of |v_d − v_1|, by mechanism, relative to the largest |v|."""
    flat = values.reshape(*values.shape[:2], -1)
    scale = np.abs(flat).max(axis=(0, 2))
    return np.abs(flat - flat[:1]).max(axis=(0, 2)) / np.where(scale > 0, scale, 1.0)


def _sampled_gaps(
    scms: tuple[AbstractBijection, ...], eps: Float[Array, "n m"]
) -> Float[np.ndarray, " m"]:
    z = jnp.concatenate([push(f, eps) for f in scms])
    noise = jnp.stack([pull(f, z) for f in scms])
    return _relative(np.swapaxes(np.asarray(noise), 1, 2))


def _verdict(
    gaps: Float[np.ndarray, " m"], tolerance: float | None, num_points: int
) -> InterventionSet:
    exact = num_points == 0
    limit = rounding(gaps.dtype, exact=exact) if tolerance is None else tolerance
    found = frozenset(int(j) for j in np.flatnonzero(~(gaps <= limit)))
    return InterventionSet(found, tuple(map(float, gaps)), limit, num_points, exact)
