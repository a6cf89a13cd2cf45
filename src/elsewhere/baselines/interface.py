"""What every baseline shares: checked samples in, a map between any two domains out."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from elsewhere.errors import DomainError
from elsewhere.fitting.split import finite_table, named_tables


class DomainMap(ABC):
    """T_{i→j}: what a baseline has learnt, for domains given by their positions."""

    @abstractmethod
    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """T_{i→j}(x), row by row."""


@final
@dataclass(frozen=True)
class IdentityMap(DomainMap):
    """x ↦ x."""

    def move(self, x: Float[np.ndarray, "n m"], i: int, j: int) -> Float[np.ndarray, "n m"]:
        """The rows themselves."""
        return x


@final
@dataclass(frozen=True)
class FittedBaseline:
    """x ↦ T_{d→d'}(x): a baseline's answer to the counterfactual question.

    Args:
        domains: the domains' names.
        moved: which columns vary within every domain. The others have no scale to match and are
            left unchanged.
        step: the map on the moved columns.
    """

    domains: tuple[Hashable, ...]
    moved: Bool[np.ndarray, " m"]
    step: DomainMap

    def move(self, x: ArrayLike, *, d: Hashable, d_prime: Hashable) -> Float[np.ndarray, "n m"]:
        """T_{d→d'}(x) for rows x of shape [n, m]; x itself where d = d'."""
        i, j = self._position(d), self._position(d_prime)
        rows = finite_table("x", x)
        if rows.shape[1] != len(self.moved):
            raise ValueError(
                f"x must have the {len(self.moved)} columns of the fit; got {rows.shape[1]}."
            )
        result = rows.copy()
        if i != j and self.moved.any():
            result[:, self.moved] = self.step.move(rows[:, self.moved], i, j)
        return result

    def _position(self, d: Hashable) -> int:
        if d not in self.domains:
            raise DomainError(
                f"domain {d!r} was not in the fit; its domains are {list(self.domains)}."
            )
        return self.domains.index(d)


class Baseline(ABC):
    """A way to move rows between domains without a causal model.

    Attributes:
        needs: a package without which it cannot be fitted, if any.
        pair_by_pair: whether T_{d→d'} is learnt from the rows of d and d' alone, at a cost per pair
            that counts.
    """

    needs: ClassVar[str | None] = None
    pair_by_pair: ClassVar[bool] = False

    def fit(self, x: Mapping[Hashable, ArrayLike] | Iterable[ArrayLike]) -> FittedBaseline:
        """T_{d→d'} for every pair, from one table [n_d, m] a domain.

        Args:
            x: a mapping from names to tables, or the tables in order (named 0, 1, …); an array
                [D, n, m] will do.
        """
        tables = domain_tables(x)
        moved = np.all([_varies(table) for table in tables.values()], axis=0)
        samples = [table[:, moved] for table in tables.values()]
        step = self._learn(samples) if moved.any() else IdentityMap()
        return FittedBaseline(tuple(tables), moved, step)

    def fit_between(
        self, x: Mapping[Hashable, ArrayLike], domains: Iterable[Hashable]
    ) -> FittedBaseline:
        """As `fit`, for moves between these domains alone: no other pair is learnt where it costs.

        Args:
            x: a mapping from names to tables.
            domains: the names between which rows will be moved.
        """
        return self.fit({d: x[d] for d in domains} if self.pair_by_pair else x)

    @abstractmethod
    def _learn(self, samples: list[Float[np.ndarray, "_ m"]]) -> DomainMap:
        """The map, from one checked table per domain, in each of which every column varies."""


def counterfactuals(fitted: FittedBaseline, x: ArrayLike) -> Float[np.ndarray, "D D n m"]:
    """T_{d→d'}(x_d) at [d, d'], for rows x of shape [D, n, m] in the order of the fit's domains."""
    rows = np.asarray(x, float)
    if rows.ndim != 3 or len(rows) != len(fitted.domains):
        raise ValueError(
            f"x must have shape [D, n, m] with D = {len(fitted.domains)}; got {rows.shape}."
        )
    return np.stack(
        [
            np.stack([fitted.move(r, d=d, d_prime=d_prime) for d_prime in fitted.domains])
            for r, d in zip(rows, fitted.domains, strict=True)
        ]
    )


def domain_tables(
    x: Mapping[Hashable, ArrayLike] | Iterable[ArrayLike],
) -> dict[Hashable, Float[np.ndarray, "_ m"]]:
    """One checked table of at least two rows per domain; positions name those without names."""
    named = x if isinstance(x, Mapping) else dict(enumerate(x))
    tables = named_tables("x", named)  # type: ignore[arg-type]
    if not tables:
        raise ValueError("x must hold at least one domain; got none.")
    if small := [name for name, table in tables.items() if len(table) < 2]:
        raise ValueError(
            f"x must have at least 2 rows in every domain, to show a spread; {small} have fewer. "
            "Drop those domains or merge them with others."
        )
    return tables


def _varies(table: Float[np.ndarray, "n m"]) -> Bool[np.ndarray, " m"]:
    """Beyond rounding, and enough that its square is a number."""
    return np.ptp(table, axis=0) > np.maximum(1e-12 * np.abs(table).max(0), 1e-150)
