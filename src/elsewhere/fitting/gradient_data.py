"""Tables of several domains made ready for gradient steps: checked, whitened, shuffled."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from numpy.typing import ArrayLike

from elsewhere.bijections import Affine
from elsewhere.fitting.result import FitError

Tables = Mapping[Hashable, ArrayLike] | Iterable[ArrayLike]
Named = dict[Hashable, np.ndarray]


@dataclass(frozen=True)
class Whitening:
    """x = A w + a: from coordinates w of unit within-domain covariance back to the data's units."""

    matrix: Float[np.ndarray, "m m"]
    offset: Float[np.ndarray, " m"]

    def whiten(self, x: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n m"]:
        """w = A⁻¹ (x − a), in float64."""
        return np.linalg.solve(self.matrix, (x - self.offset).T).T

    def bijection(self) -> Affine:
        """w ↦ x, to be composed with a mixing fitted on w."""
        return Affine(jnp.asarray(self.matrix, float), jnp.asarray(self.offset, float))


def read_tables(name: str, data: Tables) -> Named:
    """{domain: rows [n_d, m]} in float64, each finite, all of one width."""
    named = data if isinstance(data, Mapping) else dict(enumerate(data))
    tables = {d: _table(f"{name} of domain {d!r}", rows) for d, rows in named.items()}
    if len(tables) < 2:
        raise FitError(
            f"{name} must hold at least 2 domains, for what differs between them is the question; "
            f"got {len(tables)}. Split the rows by domain first."
        )
    if len({rows.shape[1] for rows in tables.values()}) > 1:
        widths = {d: rows.shape[1] for d, rows in tables.items()}
        raise FitError(f"{name} must have the same columns in every domain; got {widths} of them.")
    return tables


def split(rng: np.random.Generator, tables: Named, share: float = 0.1) -> tuple[Named, Named]:
    """(train, valid): a random tenth of each domain's rows, at most 10,000, is held out."""
    train, valid = {}, {}
    for d, rows in tables.items():
        held = min(10_000, max(1, round(share * len(rows))))
        order = rng.permutation(len(rows))
        train[d], valid[d] = rows[order[held:]], rows[order[:held]]
    return train, valid


def whitening(tables: Named, kind: str = "within") -> Whitening:
    """A = diag(sd) chol(C): sd pooled; C the mean within-domain ("within") or pooled covariance.

    Whatever units a column has, w is the same.
    """
    pooled = np.concatenate(list(tables.values()))
    centre, sd = pooled.mean(0), pooled.std(0)
    _check_spread(sd, np.abs(pooled).max(0))
    groups = [pooled] if kind == "pooled" else list(tables.values())
    standard = [(rows - centre) / sd for rows in groups]
    covariance = np.mean([np.cov(rows, rowvar=False, ddof=0) for rows in standard], axis=0)
    root = _root(np.reshape(covariance, (len(sd), len(sd))))
    return Whitening(sd[:, None] * root, centre)


def stack_cycled(tables: Named, whiten: Whitening) -> Float[Array, "m D n"]:
    """Every domain's whitened rows, the shorter ones repeated in turn up to the longest."""
    longest = max(len(rows) for rows in tables.values())
    rows = [np.resize(np.arange(len(t)), longest) for t in tables.values()]
    white = [whiten.whiten(t)[i] for t, i in zip(tables.values(), rows, strict=True)]
    return jnp.asarray(np.stack(white, axis=1).transpose(2, 1, 0), float)


def shuffled(rng: np.random.Generator, tables: Named) -> Named:
    """Each domain's rows in a random order, so that a contiguous slice is a random batch."""
    return {d: rows[rng.permutation(len(rows))] for d, rows in tables.items()}


def generator(key: PRNGKeyArray) -> np.random.Generator:
    """NumPy draws that a JAX key determines, the same in float32 and float64."""
    return np.random.default_rng(np.asarray(jax.random.key_data(key)).ravel())


def _table(name: str, value: ArrayLike) -> Float[np.ndarray, "n m"]:
    table = np.asarray(value, float)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1:
        raise FitError(f"{name} must have shape [rows >= 2, columns >= 1]; got {table.shape}.")
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        raise FitError(
            f"{name} must be finite; got {table[row, column]} at row {row}, column {column}. "
            "Drop or impute such rows first."
        )
    return table


def _check_spread(sd: Float[np.ndarray, " m"], size: Float[np.ndarray, " m"]) -> None:
    still = np.flatnonzero(~(sd > np.maximum(1e-12 * size, 1e-150)))
    if len(still):
        raise FitError(
            f"data must vary in every column, for the model has a density; column {still[0]} is "
            "constant. Drop it: every counterfactual keeps its value."
        )


def _root(covariance: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    smallest = np.linalg.eigvalsh(covariance)[0]
    if not smallest > 1e-10:
        raise FitError(
            "data must have columns that are linearly independent within domains, for the model "
            f"has a density; the smallest eigenvalue of their correlation is {smallest:.3g}. Drop "
            "redundant columns, or project on principal components first."
        )
    return np.linalg.cholesky(covariance)
