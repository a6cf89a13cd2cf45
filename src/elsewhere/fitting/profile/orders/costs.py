"""What it costs to share a mechanism, for every variable and every set of predecessors."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.profile.moments import LatentMoments


@dataclass(frozen=True)
class SharingCosts:
    """Nats per row lost at [j, P] by sharing the mechanism of j given predecessors P (a bit mask).

    `whole` shares all of the mechanism, `scale` its noise scale only; inf where j is in P.
    """

    whole: Float[np.ndarray, "m sets"]
    scale: Float[np.ndarray, "m sets"]


def sharing_costs(moments: LatentMoments) -> SharingCosts:
    """log s_j (pooled) − mean_d log s_dj, and log √(mean s²_dj) − mean_d log s_dj, for all sets."""
    m = moments.means.shape[1]
    stack = np.concatenate([moments.pooled[None], moments.covariances])
    halves = _half_log_determinants(stack)
    whole, scale = np.full((2, m, 1 << m), np.inf)
    everything = np.arange(1 << m)
    for j in range(m):
        before = everything[(everything >> j) & 1 == 0]
        log_scales = halves[before | 1 << j] - halves[before]
        whole[j, before], scale[j, before] = costs_of(log_scales)
    return SharingCosts(whole, scale)


def costs_of(
    log_scales: Float[np.ndarray, "sets E"],
) -> tuple[Float[np.ndarray, " sets"], Float[np.ndarray, " sets"]]:
    """(whole, scale) from log conditional deviations, the pooled one first."""
    own = log_scales[:, 1:]
    mean = own.mean(axis=1)
    one_scale = 0.5 * np.log(np.exp(2 * own).mean(axis=1))
    return np.maximum(log_scales[:, 0] - mean, 0), np.maximum(one_scale - mean, 0)


def members(m: int, size: int) -> Int[np.ndarray, "sets size"]:
    """All sets of `size` of m variables."""
    return np.array(list(combinations(range(m), size)), int)


def _half_log_determinants(stack: Float[np.ndarray, "E m m"]) -> Float[np.ndarray, "sets E"]:
    """½ log det of the covariance of every subset, indexed by its bit mask.

    One variable after the other is left out or taken in; what comes after carries its covariance
    given those taken in, which one more changes by an outer product.
    """
    halves, left = np.zeros((1, len(stack))), stack[None]
    for _ in range(stack.shape[1]):
        variance = np.maximum(left[..., 0, 0], np.finfo(float).tiny)
        across, rest = left[..., 1:, 0], left[..., 1:, 1:]
        given = rest - across[..., None] * (across / variance[..., None])[..., None, :]
        halves = np.concatenate([halves, halves + 0.5 * np.log(variance)])
        left = np.concatenate([rest, given])
    return halves
