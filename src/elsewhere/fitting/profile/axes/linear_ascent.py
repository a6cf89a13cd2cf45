"""The profile of many fits and its gradient where the mixing is linear: of moments alone."""

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.axes.scales import factored_or_nan, log_det_and_slopes, of_moments
from elsewhere.fitting.profile.rows import Rows


def linear_value_and_gradient(
    stack: Float[np.ndarray, "R m m+1"], rows: Rows, kinds: Float[np.ndarray, "R 3 m"]
) -> tuple[Float[np.ndarray, " R"], Float[np.ndarray, "R m m+1"]]:
    """log|det W| − Σ_j log s_j, and its slopes in the axes: z = W x + β has the moments
    W E_d[x] + β and W Cov_d(x) Wᵀ, so no row is looked at.
    """
    W, means = stack[..., :-1], rows.means[:, None, :, None]
    through = W @ rows.covariances[:, None]
    centres = (W @ means)[..., 0] + stack[..., -1]
    found = of_moments(centres, through @ W.mT, kinds, np, factored_or_nan)
    log_det, by_W = log_det_and_slopes(W)
    by_W = by_W + (2 * found.by_within @ through + found.by_means[..., None] * means.mT).sum(axis=0)
    by_offset = found.by_means.sum(axis=0)
    return found.values + log_det, np.concatenate([by_W, by_offset[..., None]], axis=-1)
