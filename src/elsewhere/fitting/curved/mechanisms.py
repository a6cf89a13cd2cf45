"""From axes to a model: the best curved mechanisms, on all rows, in the user's units."""

from collections.abc import Hashable, Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from elsewhere.bijections import Affine
from elsewhere.fitting.curved.objective import ridge
from elsewhere.fitting.kinds import SHARED
from elsewhere.fitting.profile.moments import Tables
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.model import ILD
from elsewhere.scm.additive import CURVES, AdditiveSCM, curves

Matrix = Float[np.ndarray, "m m"]


def model_of(
    W: Matrix,
    kinds: Int[np.ndarray, " m"],
    tables: Tables,
    white: Whitening,
    domains: Sequence[Hashable],
) -> ILD:
    """x = A z + b with A = (W K)⁻¹ diag(u): latents of unit deviation u over all domains."""
    latents = [table @ W.T for table in tables]
    centre = np.mean([z.mean(axis=0) for z in latents], axis=0)
    units = np.sqrt(np.mean([((z - centre) ** 2).mean(axis=0) for z in latents], axis=0))
    means, covariances = curve_moments([(z - centre) / units for z in latents])
    scms = [_scm(kinds, means, covariances, d) for d in range(len(tables))]
    A = white.unit[:, None] * np.linalg.inv(W @ white.matrix)
    mixing = Affine(_float(A * units), _float(white.centre + A @ centre))
    return ILD(mixing, scms, domains)


def curve_moments(
    latents: Tables,
) -> tuple[Float[np.ndarray, "E p"], Float[np.ndarray, "E p p"]]:
    """Means and covariances of the curves, over all domains and then in each."""
    bent = [np.asarray(curves(_float(z)), float).reshape(len(z), -1) for z in latents]
    means = np.stack([b.mean(axis=0) for b in bent])
    within = np.stack([np.cov(b, rowvar=False, bias=True) for b in bent])
    shifts = means - means.mean(axis=0)
    pooled = within.mean(axis=0) + shifts.T @ shifts / len(means)
    covariances = np.concatenate([pooled[None], within]) + np.diag(ridge(latents[0].shape[1]))
    return np.concatenate([means.mean(axis=0)[None], means]), covariances


def _scm(
    kinds: Int[np.ndarray, " m"],
    means: Float[np.ndarray, "E p"],
    covariances: Float[np.ndarray, "E p p"],
    d: int,
) -> AdditiveSCM:
    m = len(kinds)
    weights, scale, bias = np.zeros((m, m, CURVES)), np.zeros(m), np.zeros(m)
    for j, i in enumerate(range(0, m * CURVES, CURVES)):
        mean, given = (p[0 if kinds[j] == SHARED else 1 + d] for p in (means, covariances))
        w = np.linalg.solve(given[:i, :i], given[:i, i])
        weights[j, :j] = w.reshape(j, CURVES)
        scale[j] = np.sqrt(given[i, i] - given[:i, i] @ w)
        bias[j] = mean[i] - mean[:i] @ w
    return AdditiveSCM(_float(weights), _float(scale), _float(bias))


def _float(values: np.ndarray) -> jnp.ndarray:
    return jnp.asarray(np.asarray(values, jnp.zeros(0).dtype))  # cast without compiling
