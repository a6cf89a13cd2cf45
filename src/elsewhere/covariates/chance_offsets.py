"""Do domains differ by offsets, given covariates? Rows that change places say."""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.covariates.evidence import share_of_exchanges
from elsewhere.covariates.model import Covariates
from elsewhere.covariates.offsets import offset_contrasts
from elsewhere.covariates.statistics import within
from elsewhere.fitting.moments.effects import NARROW, level_for

Rows = Float[np.ndarray, "n p"]
Z = Float[np.ndarray, "n q"]
Codes = Int[np.ndarray, " n"]


def without_chance_offsets(known: Covariates, rest: Rows, z: Z, y: Rows, codes: Codes) -> Rows:
    """The rest with equal means in all domains, where chance and covariates explain that they vary.

    An engine sees the rest alone, and would take an error of B for an offset where covariates
    differ between domains. Where domains differ in what covariates do, the rest stays as it is.

    Args:
        known: what covariates do.
        rest: what they leave of the rows.
        z: the covariates' part of the regression.
        y: the rows.
        codes: their domains.
    """
    own = known.effects.own.any() or (known.effects.gains != 1).any()
    counts = np.bincount(codes).astype(float)
    if own or offsets_by_chance(z, y, codes) <= level_for(counts):
        return rest
    means = np.stack([rest[codes == i].mean(axis=0) for i in range(len(counts))])
    return rest - means[codes] + rest.mean(axis=0)


def offsets_by_chance(z: Z, y: Rows, codes: Codes) -> float:
    """The p-value of offsets α of y = α_d + z B + noise, by exchanges under y = α + z B + noise.

    What covariates leave of the rows changes places, and α and B are then estimated anew, so that
    the test is as sure of α as confounding allows (Freedman and Lane, 1983).
    """
    seen, rng = within(z, y, codes), np.random.default_rng(0)
    compared, n = offset_contrasts(seen), len(y)
    means = (codes == np.arange(len(seen.counts))[:, None]) / seen.counts[:, None]
    inside = z - seen.z_means[codes]
    reads = compared.weights @ (means - seen.z_means @ inside.T / n)
    plain = np.c_[np.ones(n), z]
    left = y - plain @ np.linalg.lstsq(plain, y, rcond=None)[0]
    left = left / np.maximum(left.std(axis=0), 1e-300)
    if left.shape[1] <= NARROW:
        left = left @ np.linalg.eigh(left.T @ left)[1]
    errors = np.multiply.outer(compared.variances, np.maximum(left.var(axis=0), 1e-12))

    def statistic(rows: Rows) -> float:
        return float(np.log1p((reads @ rows) ** 2 / errors).sum())

    observed = (1 - 1e-9) * statistic(left)
    return share_of_exchanges(lambda: statistic(left[rng.permutation(n)]) >= observed)
