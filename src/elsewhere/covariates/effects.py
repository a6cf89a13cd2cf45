"""What covariates do in every domain: shared, stretched by the domain's gain, or partly its own."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from elsewhere.covariates.statistics import Products, Within
from elsewhere.fitting.moments.shrinkage import shrink_columns

ROUNDS = 12
ByDomain = Float[np.ndarray, "D p"]


@dataclass(frozen=True)
class CovariateEffects:
    """y = α_d + z B_d + rest, B_d = γ_d B + W_d.

    Attributes:
        shared: B, in columns of Z that are white within domains.
        gains: γ, 1 where no domain stretches what covariates do.
        own: W, 0 where no domain has effects of its own.
        gain_variances: what is not known of γ.
        own_variances: what is not known of W.
        noise: the variance of what covariates leave, by domain and column.
    """

    shared: Float[np.ndarray, "q p"]
    gains: ByDomain
    own: Products
    gain_variances: ByDomain
    own_variances: Products
    noise: ByDomain

    @property
    def coefficients(self) -> Products:
        """B_d."""
        return self.gains[:, None] * self.shared + self.own


def shared_effects(seen: Within) -> CovariateEffects:
    """B from the variation within domains, whose rows count by how little they vary."""
    return _climbed(seen, _start(seen), gains=False, own=False)


def effects_with_gains(seen: Within) -> CovariateEffects:
    """γ_d ~ 1 + shrunken: every domain stretches all that covariates do in a column."""
    return _climbed(seen, _start(seen), gains=True, own=False)


def own_effects(seen: Within, start: CovariateEffects, *, gains: bool) -> CovariateEffects:
    """W_d ~ shrunken towards none, beside gains where there are any."""
    return _climbed(seen, start, gains=gains, own=True)


def _start(seen: Within) -> CovariateEffects:
    D, q, p = seen.zy.shape
    shared = seen.zy.sum(axis=0) / seen.counts.sum()
    none, zero = np.zeros((D, q, p)), np.zeros((D, p))
    noise = seen.variances(np.broadcast_to(shared, (D, q, p)))
    return CovariateEffects(shared, np.ones((D, p)), none, zero, none, noise)


def _climbed(seen: Within, start: CovariateEffects, *, gains: bool, own: bool) -> CovariateEffects:
    found = start
    for _ in range(ROUNDS if gains or own else 3):
        shared = _shared(seen, found)
        found = replace(found, shared=shared)
        if gains:
            found = _with_gains(seen, found)
        if own:
            found = _with_own(seen, found)
        found = replace(found, noise=seen.variances(found.coefficients))
    return found


def _shared(seen: Within, found: CovariateEffects) -> Float[np.ndarray, "q p"]:
    """B_j = (Σ_d w γ² zz)⁻¹ Σ_d w γ (zy − zz W), w the inverse of the noise."""
    w = 1 / found.noise
    left = np.einsum("dj,dab->jab", w * found.gains**2, seen.zz)
    right = np.einsum("dj,daj->ja", w * found.gains, seen.zy - seen.zz @ found.own)
    ridge = 1e-9 * np.trace(left, axis1=1, axis2=2)[:, None, None] * np.eye(left.shape[1])
    return np.linalg.solve(left + ridge, right[..., None])[..., 0].T


def _with_gains(seen: Within, found: CovariateEffects) -> CovariateEffects:
    """γ_dj − 1 of each domain and column, shrunken towards 0 by all of them."""
    estimates, errors = gain_estimates(seen.zy - seen.zz @ found.own, seen, found)
    means, variances = shrink_columns(estimates - 1, errors)
    gains = np.maximum(1 + means, 0.05)
    middle = np.exp(np.log(gains).mean(axis=0))
    return replace(
        found, gains=gains / middle, shared=found.shared * middle, gain_variances=variances
    )


def gain_estimates(
    products: Products, seen: Within, found: CovariateEffects
) -> tuple[ByDomain, ByDomain]:
    """γ̂_dj = Bᵀ zy/Bᵀ zz B, and its sampling variance."""
    strength = (found.shared * (seen.zz @ found.shared)).sum(axis=1)
    strength = np.maximum(strength, 1e-300)
    return (found.shared * products).sum(axis=1) / strength, found.noise / strength


def _with_own(seen: Within, found: CovariateEffects) -> CovariateEffects:
    """W_d along the directions in which the covariates of domain d vary, shrunken."""
    left = seen.zy - seen.zz @ (found.gains[:, None] * found.shared)
    values, turn = _directions(seen)
    unit = np.sqrt(found.noise)[:, None]
    estimates = (np.swapaxes(turn, 1, 2) @ left) / values[..., None] / unit
    errors = np.broadcast_to(1 / values[..., None], estimates.shape)
    D, q, p = estimates.shape
    flat = shrink_columns(estimates.reshape(D * q, p), errors.reshape(D * q, p))
    means, variances = (part.reshape(D, q, p) for part in flat)
    return replace(found, own=turn @ (means * unit), own_variances=turn**2 @ (variances * unit**2))


def _directions(seen: Within) -> tuple[Float[np.ndarray, "D q"], Float[np.ndarray, "D q q"]]:
    values, turn = np.linalg.eigh(seen.zz)
    return np.maximum(values, 1e-6), turn


def own_statistic(products: Products, seen: Within, noise: ByDomain) -> float:
    """Σ log(1 + Ŵ²/error) over domains, directions and columns."""
    values, turn = _directions(seen)
    scaled = (np.swapaxes(turn, 1, 2) @ products) ** 2 / values[..., None] / noise[:, None]
    return float(np.log1p(scaled).sum())
