"""What is seen of each column in each domain."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

Table = Float[np.ndarray, "_ p"]  # of one domain


@dataclass(frozen=True)
class Observed:
    """Counts, means and variances of the entries that are there; NaN marks the others."""

    tables: Sequence[Table]

    @cached_property
    def there(self) -> list[Bool[np.ndarray, "_ p"]]:
        """Which entries are seen."""
        return [~np.isnan(table) for table in self.tables]

    @cached_property
    def gaps(self) -> bool:
        """Whether any entry is missing."""
        return not all(there.all() for there in self.there)

    @cached_property
    def rows(self) -> Float[np.ndarray, " D"]:
        """Rows of each domain."""
        return np.array([len(table) for table in self.tables], float)

    @property
    def freedom(self) -> float:
        """Rows less domains, at least 1."""
        return max(float(self.rows.sum()) - len(self.rows), 1.0)

    @cached_property
    def counts(self) -> Float[np.ndarray, "D p"]:
        """Entries seen, by domain and column."""
        return np.stack([there.sum(axis=0) for there in self.there]).astype(float)

    @cached_property
    def share(self) -> Float[np.ndarray, " D"]:
        """The share of entries seen, by domain."""
        return self.counts.mean(axis=1) / self.rows

    @cached_property
    def means(self) -> Float[np.ndarray, "D p"]:
        """Of what is seen; the mean of the other domains where a column is missing in one."""
        sums = np.stack([np.nansum(table, axis=0) for table in self.tables])
        pooled = sums.sum(axis=0) / np.maximum(self.counts.sum(axis=0), 1.0)
        return np.where(self.counts > 0, sums / np.maximum(self.counts, 1.0), pooled)

    @cached_property
    def variances(self) -> Float[np.ndarray, "D p"]:
        """Within domains, as if one more entry of the pooled variance were seen in each."""
        squares = np.stack(
            [np.nansum((t - m) ** 2, axis=0) for t, m in zip(self.tables, self.means, strict=True)]
        )
        free = np.maximum(self.counts.sum(axis=0) - len(self.tables), 1.0)
        pooled = squares.sum(axis=0) / free
        pooled = np.where(pooled > 0, pooled, 1.0)
        return (squares + pooled) / np.maximum(self.counts, 1.0)
