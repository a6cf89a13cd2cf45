"""Domain or covariate? Differences of means, given covariates, as certain as the rows make them."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from elsewhere.covariates.effects import CovariateEffects
from elsewhere.covariates.statistics import Within

FACTORS, SHARES = np.array([1.0, 10.0, 100.0]), np.array([0.9, 0.08, 0.02])


class CovariateContrasts(NamedTuple):
    """Independent contrasts of domains: weights U, and variances of U α̂ per unit of noise."""

    weights: Float[np.ndarray, "a D"]
    variances: Float[np.ndarray, " a"]


def offset_contrasts(
    counts: Float[np.ndarray, " D"], z_means: Float[np.ndarray, "D q"]
) -> CovariateContrasts:
    """α̂_d = ȳ_d − z̄_d B̂ err by 1/n_d, and together by z̄_d Cov(B̂) z̄_d'."""
    D = len(counts)
    errors = np.diag(1 / counts) + z_means @ z_means.T / counts.sum()
    centre = np.eye(D) - 1 / D
    values, vectors = np.linalg.eigh(centre @ errors @ centre)
    return CovariateContrasts(vectors[:, 1:].T @ centre, np.maximum(values[1:], 1e-12))


def means_decide(seen: Within, found: CovariateEffects) -> Float[np.ndarray, "q p"]:
    """B given all means too, as far as domains do not differ by offsets of their own.

    Offsets α are shrunken towards none with their true errors, which confounding inflates; what
    they leave of the differences of means is then evidence on B. It is the posterior mean of B in a
    model with random offsets. Only the shrinkage that is due to confounding is done here: engines
    do the rest.
    """
    compared = offset_contrasts(seen.counts, seen.z_means)
    unit = np.sqrt(found.noise.mean(axis=0))
    alpha = seen.y_means - np.einsum("da,daj->dj", seen.z_means, found.coefficients)
    estimates = compared.weights @ alpha / unit
    excess = compared.variances - compared.weights**2 @ (1 / seen.counts)
    share = excess[:, None] * _precisions(estimates, compared.variances)
    return found.shared + _slopes(seen, compared.weights.T @ (share * estimates) * unit)


def _precisions(
    estimates: Float[np.ndarray, "a p"], errors: Float[np.ndarray, " a"]
) -> Float[np.ndarray, "a p"]:
    """E[1/(error + κ_j ψ) | estimates]: offsets have variance κ_j ψ, in a few columns κ_j > 1.

    ψ is common to all columns, with a flat prior, as in Stein's estimator.
    """
    sizes = np.geomspace(1e-4, 1e2, 40)
    total = np.multiply.outer(np.multiply.outer(sizes, FACTORS), np.ones_like(errors)) + errors
    fit = -0.5 * (
        np.log(total).sum(axis=2)[..., None] + np.einsum("gka,ap->gkp", 1 / total, estimates**2)
    )
    fit += np.log(SHARES)[:, None]
    from scipy.special import logsumexp, softmax

    by_size = np.asarray(logsumexp(fit, axis=1))
    weights = softmax(by_size.sum(axis=1) + np.log(sizes))
    within = np.exp(fit - by_size[:, None])
    return np.einsum("g,gkp,gka->ap", weights, within, 1 / total)


def _slopes(seen: Within, means: Float[np.ndarray, "D p"]) -> Float[np.ndarray, "q p"]:
    """The change of B that means explain, beside N rows within domains that speak for none."""
    n, total = seen.counts[:, None], seen.counts.sum()
    z = seen.z_means - (n * seen.z_means).sum(axis=0) / total
    return np.linalg.solve(total * np.eye(z.shape[1]) + z.T @ (n * z), z.T @ (n * means))
