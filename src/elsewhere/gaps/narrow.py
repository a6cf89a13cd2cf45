"""Means and covariances of every domain from rows with gaps, by expectation–maximisation."""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from elsewhere.gaps.accelerated import fixed_point
from elsewhere.gaps.conditional import FullCovariance, Patterns, patterns_of
from elsewhere.gaps.observed import Observed, Table
from elsewhere.gaps.together import NONE, drawn_together

STEPS = 200
CLOSE = 0.1  # of a standard error along any direction: the largest change at which it stops
NEGLIGIBLE = 0.05
STRENGTHS = np.geomspace(1.0, 1e6, 13)  # of the shared correlations, in rows per column
Matrices = Float[np.ndarray, "D p p"]
Means = Float[np.ndarray, "D p"]


def narrow_covariances(tables: Sequence[Table], seen: Observed) -> tuple[Means, Matrices]:
    """(means, covariances) of each domain, the latter drawn towards shared correlations.

    Σ_d = (T_d + ν S_d R S_d)/(n_d + ν): T_d is the expected scatter of the domain's rows, S_d its
    deviations, R the correlations of all domains, and ν maximises the marginal likelihood, so that
    domains which correlate alike lend each other rows and others do not.
    """
    means, variances = seen.means, seen.variances
    matrices = variances[:, :, None] * np.eye(means.shape[1])
    patterns = [patterns_of(there[~there.all(axis=1)]) for there in seen.there]

    def step(means: Means, matrices: Matrices) -> tuple[Means, Matrices]:
        new_means, scatters = _expected(tables, means, matrices, seen, patterns)
        return new_means, _shrunken(scatters, seen)

    if not seen.gaps:
        return step(means, matrices)
    return fixed_point(step, (means, matrices), CLOSE / np.sqrt(seen.rows.sum()), STEPS)


def _expected(
    tables: Sequence[Table],
    means: Means,
    matrices: Matrices,
    seen: Observed,
    patterns: Sequence[list[Patterns]],
) -> tuple[Means, Matrices]:
    """The means of the rows' expectations, and their scatter with what is left open."""
    new_means, scatters = np.empty_like(means), np.empty_like(matrices)
    for i, (table, there) in enumerate(zip(tables, seen.there, strict=True)):
        gaps, u = ~there.all(axis=1), table - means[i]
        u[~there] = 0.0
        told, left = FullCovariance(matrices[i]).expected_and_open(u[gaps], patterns[i])
        u[gaps] = told
        moved = np.where(seen.counts[i] > 0, u.mean(axis=0), 0.0)
        u -= moved
        scatters[i] = u.T @ u + left
        new_means[i] = means[i] + moved
    return new_means, scatters


def _shrunken(scatters: Matrices, seen: Observed) -> Matrices:
    rows = seen.rows[:, None]
    p = scatters.shape[1]
    diagonal = np.diagonal(scatters, axis1=1, axis2=2)
    pooled = diagonal.sum(axis=0) / seen.freedom
    variances = (diagonal + pooled) / rows  # as if one more row were seen, for domains of one
    logs = 0.5 * np.log(np.maximum(variances, 1e-12 * pooled + 1e-300))
    unit = np.exp(drawn_together(logs, 0.5 / np.maximum(seen.counts, NONE)))
    scaled = scatters / (unit[:, :, None] * unit[:, None, :])
    shared = (scaled.sum(axis=0) + p * np.eye(p)) / (seen.rows.sum() + p)
    root = np.sqrt(np.diag(shared))
    shared = shared / np.outer(root, root)
    strength = _strength(scaled, shared, seen)
    found = (scaled + strength * shared) / (seen.rows + strength)[:, None, None]
    return found * unit[:, :, None] * unit[:, None, :]


def _strength(scaled: Matrices, shared: Float[np.ndarray, "p p"], seen: Observed) -> float:
    """ν: the strength in STRENGTHS that makes the scatters likeliest, few rows counting less.

    None where it and p are NEGLIGIBLE beside the rows and the entries of every column: what little
    it adds is much along directions in which a domain hardly varies, and the more so the more
    entries are missing.
    """
    p = len(shared)
    share = seen.share**2  # of the pairs of entries that are seen
    evidence = [_evidence(scaled, shared, nu, seen.rows * share, share) for nu in STRENGTHS * p]
    found = float(p * STRENGTHS[int(np.argmax(evidence))])
    rows = min(float((seen.rows * share).min()), float(seen.counts.min()))
    return 0.0 if max(found, p) < NEGLIGIBLE * rows else found


def _evidence(
    scaled: Matrices,
    shared: Float[np.ndarray, "p p"],
    nu: float,
    rows: Float[np.ndarray, " D"],
    share: Float[np.ndarray, " D"],
) -> float:
    """log p(T_d) with Σ_d ~ inverse Wishart(ν R, ν + p + 1), over all domains."""
    p, freedom = len(shared), nu + shared.shape[0] + 1
    before = freedom / 2 * np.linalg.slogdet(nu * shared)[1] - _log_gamma(freedom / 2, p)
    after = scaled * share[:, None, None] + nu * shared
    ends = [_log_gamma((freedom + n) / 2, p) for n in rows]
    dets = (freedom + rows) / 2 * np.linalg.slogdet(after)[1]
    return float(len(scaled) * before + np.sum(ends) - np.sum(dets))


def _log_gamma(a: float, p: int) -> float:
    """log Γ_p(a), the multivariate gamma function: loading SciPy takes longer than most fits."""
    return p * (p - 1) / 4 * math.log(math.pi) + sum(math.lgamma(a - j / 2) for j in range(p))
