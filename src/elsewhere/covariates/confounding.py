"""How far the domain can be told from the covariates, and where the two cannot be separated."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.covariates.columns import Category, column_of
from elsewhere.covariates.design import Basis, within_domains
from elsewhere.covariates.offsets import offset_contrasts
from elsewhere.covariates.statistics import Within
from elsewhere.errors import AssumptionError

INSEPARABLE = 1e-8  # of a covariate's variance is left within domains
SHOWN = 3


@dataclass(frozen=True)
class Confounding:
    """What covariates and domains have in common.

    Attributes:
        told: the share of rows whose domain the covariates alone tell, by nearest mean.
        chance: the share in the largest domain.
        inflation: how many times as large as without covariates the standard error is of the
            difference of domains that is known least.
        by_covariate: of each covariate the share of its variance that lies between domains.
    """

    told: float
    chance: float
    inflation: float
    by_covariate: tuple[tuple[Hashable, float], ...]


def confounding(
    basis: Basis, frame: pd.DataFrame, z: Float[np.ndarray, "n q"], codes: Codes, seen: Within
) -> Confounding:
    """Measured on the rows that are learnt from."""
    shares = [
        (column.name, between_share(b, codes))
        for column, b in zip(basis.columns, basis.bases(frame), strict=True)
    ]
    compared = offset_contrasts(seen.counts, seen.z_means)
    alone = np.einsum("ad,d->a", compared.weights**2, 1 / seen.counts)
    inflation = float(np.sqrt((compared.variances / alone).max()))
    chance = float(seen.counts.max() / seen.counts.sum())
    return Confounding(max(_told(z, codes, seen), chance), chance, inflation, tuple(shares))


def between_share(rows: Float[np.ndarray, "n b"], codes: Codes) -> float:
    """The largest share of the variance of a direction of the rows that lies between domains."""
    rows = rows - rows.mean(axis=0)
    total, inside = rows.T @ rows, within_domains(rows, codes)
    kept, turn = np.linalg.eigh(total)
    turn = turn[:, kept > 1e-9 * kept.max()] / np.sqrt(kept[kept > 1e-9 * kept.max()])
    return float(1 - np.linalg.eigvalsh(turn.T @ (inside.T @ inside) @ turn).min().clip(0, 1))


def check_separable(
    basis: Basis,
    frame: pd.DataFrame,
    y: Float[np.ndarray, "n p"],
    codes: Codes,
    domain: Hashable,
    columns: Sequence[Hashable],
) -> None:
    """Raise where some covariate is the domain in other words, with the range of answers."""
    raw = basis.raw(frame)
    if 1 - between_share(raw, codes) > INSEPARABLE:
        return
    named, site = _inseparable(basis, frame, codes), "domain" if domain is None else str(domain)
    words = " and ".join(str(name) for name in named)
    raise AssumptionError(
        f"{site} and {words} cannot be separated: {_why(basis, frame, codes, named, site)}. "
        f"Between 'all of the difference is due to {words}' (nothing moves) and 'all of it is due "
        f"to {site}', the answers range: {_ranges(y, codes, columns)} (standard deviations within "
        f"a {site}). Leave {words} out if the difference belongs to {site}; do not harmonise if it "
        f"belongs to {words}; or add rows in which the two do not go together."
    )


def _inseparable(basis: Basis, frame: pd.DataFrame, codes: Codes) -> list[Hashable]:
    """The covariates that are the domain alone; else all that are it together."""
    bases = basis.bases(frame)
    alone = [
        column.name
        for column, b in zip(basis.columns, bases, strict=True)
        if 1 - between_share(b, codes) <= INSEPARABLE
    ]
    return alone or list(basis.names)


def _why(basis: Basis, frame: pd.DataFrame, codes: Codes, named: list[Hashable], site: str) -> str:
    columns = {column.name: column for column in basis.columns}
    if len(named) == 1 and isinstance(columns[named[0]], Category):
        homes = pd.Series(codes).groupby(column_of(frame, named[0]).to_numpy()).nunique()
        if bool(np.all(homes.to_numpy() == 1)):
            return f"every value of {named[0]} occurs in one {site} only"
        return f"some value of {named[0]} is one {site} in other words"
    return f"within every {site}, {' and '.join(map(str, named))} never vary on their own"


def _ranges(y: Float[np.ndarray, "n p"], codes: Codes, columns: Sequence[Hashable]) -> str:
    """The largest difference of means between two domains, in the columns that differ most."""
    means = np.stack([y[codes == i].mean(axis=0) for i in range(int(codes.max()) + 1)])
    unit = np.sqrt((within_domains(y, codes) ** 2).mean(axis=0))
    sizes = np.ptp(means, axis=0) / np.where(unit > 0, unit, 1.0)
    most = np.argsort(-sizes)[:SHOWN]
    return ", ".join(f"{columns[j]} by 0 to {sizes[j]:.2g}" for j in most)


def _told(z: Float[np.ndarray, "n q"], codes: Codes, seen: Within) -> float:
    """Leave-one-out accuracy of the nearest mean, Z being white within domains."""
    n = seen.counts
    distances = ((z[:, None] - seen.z_means) ** 2).sum(axis=2)
    own = np.arange(len(z)), codes
    distances[own] *= (n[codes] / np.maximum(n[codes] - 1, 0.5)) ** 2
    return float((np.argmin(distances - 2 * np.log(n), axis=1) == codes).mean())
