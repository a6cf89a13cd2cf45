"""Exact log-likelihoods of single rows, their means and the errors of their differences."""

from collections.abc import Hashable, Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.moments import LatentMoments, Tables, encode
from elsewhere.fitting.split import Named
from elsewhere.model import ILD
from elsewhere.movers import Density

RowValues = Sequence[Float[np.ndarray, " _"]]


def row_log_likelihoods(
    axes: Float[np.ndarray, "m m+1"], mechanisms: Mechanisms, tables: Tables, slope: float
) -> list[Float[np.ndarray, " _"]]:
    """log p_d(x) = log N(ε; 0, I) − Σ log s_dj + Σ_j 1[u_j < 0] log(1/slope) + log|det W|."""
    constant = np.linalg.slogdet(axes[:, :-1])[1] - 0.5 * len(axes) * np.log(2 * np.pi)
    values = []
    for d, table in enumerate(tables):
        u, z = encode(axes, table, slope)
        eps = (z - z @ mechanisms.weights[d].T - mechanisms.biases[d]) / mechanisms.scales[d]
        kinks = -np.log(slope) * (u < 0).sum(axis=1)
        scales = np.log(mechanisms.scales[d]).sum()
        values.append(constant + kinks - scales - 0.5 * (eps**2).sum(axis=1))
    return values


def held_out_rows(model: Density, held: Named) -> list[Float[np.ndarray, " n"]]:
    """log p_d of every held-out row, by domain, in the data's own units."""
    return [_log_density(model, x, d) for d, x in held.items()]


def _log_density(model: Density, x: Float[np.ndarray, "n m"], d: Hashable) -> np.ndarray:
    """log p_d(x), in NumPy where mixing and mechanisms are linear or leaky: nothing to compile."""
    plain = model.plain_noise(d=d) if isinstance(model, ILD) else None
    if plain is None:
        return np.asarray(model.log_density(jnp.asarray(x, float), d=d))
    eps, log_det = plain.and_log_det(x)
    return log_det - 0.5 * (eps**2 + np.log(2 * np.pi)).sum(axis=1)


def mean_at_best(
    axes: Float[np.ndarray, "m m+1"], mechanisms: Mechanisms, moments: LatentMoments, slope: float
) -> float:
    """log|det W| − (m/2) log 2πe + mean_d (Σ_j P_d(u_j < 0) log(1/slope) − Σ_j log s_dj).

    `mean_over_domains` of `row_log_likelihoods` where the mechanisms are the best for the moments:
    their squared noise is then 1 in the mean.
    """
    constant = np.linalg.slogdet(axes[:, :-1])[1] - 0.5 * len(axes) * np.log(2 * np.pi * np.e)
    kinks = -np.log(slope) * moments.below.sum(axis=1).mean()
    return float(constant + kinks - np.log(mechanisms.scales).sum(axis=1).mean())


def mean_over_domains(values: RowValues) -> float:
    """(1/D) Σ_d mean over the rows of d: all domains weigh the same."""
    return float(np.mean([rows.mean() for rows in values]))


def standard_error(values: RowValues) -> float:
    """√(Σ_d Var_d/n_d)/D, of `mean_over_domains`."""
    variances = [rows.var(ddof=1) / len(rows) if len(rows) > 1 else 0.0 for rows in values]
    return float(np.sqrt(np.sum(variances)) / len(variances))


def paired(values: RowValues, reference: RowValues) -> tuple[float, float]:
    """(mean, standard error) of values − reference, row by row."""
    differences = [a - b for a, b in zip(values, reference, strict=True)]
    return mean_over_domains(differences), standard_error(differences)
