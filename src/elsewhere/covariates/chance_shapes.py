"""Do domains differ in spreads, or in how columns vary together, beyond their mix of covariates?"""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.arrays import Codes
from elsewhere.covariates.model import Covariates
from elsewhere.fitting.moments.differences import coded
from elsewhere.fitting.moments.effects import means_by_chance
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.moments.turns import turns_by_chance

STRATA = 5  # they take out nine tenths of what a mix brings (Cochran, 1968)
Z = Float[np.ndarray, "n q"]


def shapes_by_chance(
    known: Covariates, rest: Float[np.ndarray, "n p"], z: Z, codes: Codes
) -> tuple[float, float]:
    """The p-values of spreads and of covariances, by rows that change places with their like.

    Malignant tumours vary more than benign ones, and otherwise together. A domain with more of them
    than another differs in both, and rows of all kinds that changed places would show it. So rows
    change places only where covariates tell as much of the domain.

    Args:
        known: what covariates do.
        rest: what they leave of the rows.
        z: the covariates' part of the regression.
        codes: the rows' domains.
    """
    order = np.argsort(codes, kind="stable")
    alike = strata(z, known.z_means, np.bincount(codes))[order]
    ends = np.cumsum(np.bincount(codes))[:-1]
    seen = Statistics(np.split(rest[order], ends))
    own = np.exp(-seen.log_deviations)
    plain = [r * o / np.sqrt(seen.pooled) for r, o in zip(seen.residuals, own, strict=True)]
    scales = means_by_chance(seen.distances, strata=alike)
    return scales, turns_by_chance(coded(plain, seen.freedom), alike)


def strata(z: Z, z_means: Float[np.ndarray, "D q"], counts: Int[np.ndarray, " D"]) -> Codes:
    """Rows of like z along the direction in which domains differ most, at most STRATA parts.

    Z is white within domains: along that direction it tells the domain of normal covariates as well
    as all of it does (Rosenbaum and Rubin, 1983).
    """
    away = (z_means - counts @ z_means / counts.sum()) * np.sqrt(counts)[:, None]
    score = np.round(z @ np.linalg.svd(away)[2][0], 9)
    cuts = np.unique(np.quantile(score, np.arange(1, STRATA) / STRATA, method="lower"))
    return np.unique(np.searchsorted(cuts, score), return_inverse=True)[1]
