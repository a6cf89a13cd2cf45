"""Rows as the search wants them: as they are, and as one array padded to a few sizes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.fitting.profile.moments import Tables


class PackedRows(NamedTuple):
    """(x, 1) of every row, or 0 where a domain has no more; 1/n_d; and Cov_d(x)."""

    values: Float[Array, "D m+1 n"]
    each: Float[Array, " D"]
    covariances: Float[Array, "D m m"]


@dataclass(frozen=True)
class Rows:
    """The rows x of every domain, one in each column; domains may differ in their number."""

    tables: Sequence[Float[np.ndarray, "m _"]]
    _firsts: dict[int, "Rows"] = field(default_factory=dict, repr=False, compare=False)

    @property
    def longest(self) -> int:
        """The most rows of a domain."""
        return max(x.shape[1] for x in self.tables)

    def first(self, n: int) -> "Rows":
        """The first n rows of each domain, the same object every time."""
        if n >= self.longest:
            return self
        if n not in self._firsts:
            self._firsts[n] = Rows([x[:, :n] for x in self.tables])
        return self._firsts[n]

    @cached_property
    def means(self) -> Float[np.ndarray, "D m"]:
        """E_d[x] of every domain."""
        return np.stack([x.mean(axis=1, dtype=float) for x in self.tables])

    @cached_property
    def covariances(self) -> Float[np.ndarray, "D m m"]:
        """Cov_d(x) of every domain."""
        m = len(self.tables[0])
        return np.stack([np.cov(x, bias=True).reshape(m, m) for x in self.tables])

    @cached_property
    def packed(self) -> PackedRows:
        """On the device, as many columns as the longest domain needs, or the next `padded` size."""
        shape = len(self.tables), len(self.tables[0]) + 1, padded(self.longest)
        values = np.zeros(shape, self.tables[0].dtype)
        for d, x in enumerate(self.tables):
            values[d, :-1, : x.shape[1]], values[d, -1, : x.shape[1]] = x, 1
        each = np.array([1 / x.shape[1] for x in self.tables])
        parts = (part.astype(values.dtype) for part in (values, each, self.covariances))
        return PackedRows(*map(jnp.asarray, parts))  # cast by NumPy, which compiles nothing


def rows_of(tables: Tables, dtype: type = np.float32) -> Rows:
    """The tables in single precision: twice as fast, and as exact as the search needs."""
    return Rows([table.T.astype(dtype, order="C") for table in tables])


def padded(count: int) -> int:
    """The next number of the form (4, 5, 6 or 7) · 2^i, so that few sizes are ever compiled.

    >>> [padded(n) for n in (5, 9, 1_000, 1_025)]
    [5, 10, 1024, 1280]
    """
    unit = 1 << max(count.bit_length() - 3, 0)
    return -(-count // unit) * unit
