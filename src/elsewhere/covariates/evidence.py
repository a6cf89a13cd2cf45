"""Do domains differ in what covariates do? Rows that change places within domains say."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from elsewhere.covariates.effects import CovariateEffects, gain_estimates, own_statistic
from elsewhere.covariates.statistics import CovariateRows, Products, Within

TIMES, ENOUGH = 399, 8
Statistic = Callable[[Products], float]


def gains_by_chance(rows: CovariateRows, found: CovariateEffects) -> float:
    """The p-value of gains that differ between domains, given shared effects."""

    def statistic(products: Products) -> float:
        estimates, errors = gain_estimates(products, rows.seen, found)
        return float(np.log1p(estimates**2 / errors).sum())

    return _p_value(rows, found, statistic)


def own_by_chance(rows: CovariateRows, found: CovariateEffects) -> float:
    """The p-value of effects of the domains' own, given shared ones and gains."""

    def statistic(products: Products) -> float:
        estimates, _ = gain_estimates(products, rows.seen, found)
        stretched = rows.seen.zz @ (estimates[:, None] * found.shared)
        return own_statistic(products - stretched, rows.seen, found.noise)

    return _p_value(rows, found, statistic)


def _p_value(sample: CovariateRows, found: CovariateEffects, statistic: Statistic) -> float:
    """The share of exchanges of what is left, within each domain, that reach the observed.

    What is left of rows changes places whole, so that columns stay as correlated as they are.
    """
    rng, seen = np.random.default_rng(0), sample.seen
    z, y, codes = sample.z, sample.y, sample.codes
    places = [np.flatnonzero(codes == i) for i in range(len(seen.counts))]
    inside = [z[at] - seen.z_means[i] for i, at in enumerate(places)]
    left = [
        y[at] - seen.y_means[i] - inside[i] @ found.coefficients[i] for i, at in enumerate(places)
    ]
    unshared = _takes_out_shared(seen, found)
    observed = statistic(unshared(_products(inside, left)))

    def reaches() -> bool:
        exchanged = [rows[rng.permutation(len(rows))] for rows in left]
        return statistic(unshared(_products(inside, exchanged))) >= observed

    return share_of_exchanges(reaches)


def share_of_exchanges(reaches: Callable[[], bool]) -> float:
    """The p-value by at most TIMES exchanges, fewer once ENOUGH have reached the observed.

    The sequential test of Besag and Clifford (1991): it is exact, and quick where chance explains
    what was observed.
    """
    reached = 0
    for made in range(1, TIMES + 1):
        reached += reaches()
        if reached == ENOUGH:
            return reached / made
    return (1 + reached) / (1 + TIMES)


def _products(
    inside: list[Float[np.ndarray, "_ q"]], left: list[Float[np.ndarray, "_ p"]]
) -> Products:
    return np.stack([a.T @ b for a, b in zip(inside, left, strict=True)])


def _takes_out_shared(seen: Within, found: CovariateEffects) -> Callable[[Products], Products]:
    """Σ z restᵀ by domain, without what all domains have in common."""
    weights = 1 / found.noise
    inverse = np.linalg.inv(np.einsum("dj,dab->jab", weights * found.gains**2, seen.zz))

    def unshared(products: Products) -> Products:
        common = np.einsum("dj,daj->ja", weights * found.gains, products)
        shared = (inverse @ common[..., None])[..., 0].T
        return products - seen.zz @ (found.gains[:, None] * shared)

    return unshared
