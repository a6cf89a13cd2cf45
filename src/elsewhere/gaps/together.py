"""Estimates of all domains, drawn together where chance explains that they differ."""

import numpy as np
from jaxtyping import Float

NONE = 1e-9  # entries: nothing is known of a column that was never seen
LEAST_VARIANCE = 1e-12  # the variance of an estimate from values that are all the same
UNUSUAL = 3.0  # standard errors by which differences of all columns must exceed chance
Estimates = Float[np.ndarray, "D p"]


def drawn_together(estimates: Estimates, errors: Estimates) -> Estimates:
    """m + w (b_d − m), w = τ²/(τ² + error): no difference is filled in that chance explains.

    τ² is how far domains differ beyond twice what chance brings, column by column; where all
    columns together differ no more than by chance, beyond what the largest of as many would.

    Args:
        estimates: b, of each domain and column.
        errors: their variances.
    """
    errors = np.maximum(errors, LEAST_VARIANCE)
    weights = 1 / errors
    centre = (weights * estimates).sum(axis=0) / weights.sum(axis=0)
    domains, p = estimates.shape
    ratio = ((estimates - centre) ** 2 / errors).sum(axis=0) / max(domains - 1, 1)
    excess = (ratio.mean() - 1) / np.sqrt(2 / (max(domains - 1, 1) * p))
    chance = 2.0 if excess > UNUSUAL else 2.0 + 2 * np.log(p)
    usual = 1 / np.mean(weights, axis=0)
    tau = np.maximum(ratio - chance, 0.0) * usual
    return centre + tau / (tau + errors) * (estimates - centre)
