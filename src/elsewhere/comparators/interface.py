"""What every comparator shares: its source, its assumptions on the data, a map out."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from elsewhere.baselines.interface import DomainMap, FittedBaseline, domain_tables
from elsewhere.errors import AssumptionError

Samples = list[Float[np.ndarray, "_ m"]]


@dataclass(frozen=True)
class Assumption:
    """What a method takes for granted, and what the data say of it.

    Attributes:
        name: in a few words.
        holds: as far as the data can tell; None where they cannot.
        words: the figure behind it, or why there is none.
    """

    name: str
    holds: bool | None
    words: str


class Comparator(ABC):
    """A system of the paper's Table 1, reduced to tables and to the domain counterfactual.

    Attributes:
        source: the publication.
    """

    source: ClassVar[str]

    def fit(self, x: Mapping[Hashable, ArrayLike] | Iterable[ArrayLike]) -> FittedBaseline:
        """T_{d→d'} for every pair, from one table [n_d, m] per domain.

        Raises an `AssumptionError` where the method cannot be computed at all, and goes on where an
        assumption is only refuted: `assumptions` says which.
        """
        names, samples = self._samples(x)
        return FittedBaseline(names, np.ones(samples[0].shape[1], bool), self._learn(samples))

    def assumptions(
        self, x: Mapping[Hashable, ArrayLike] | Iterable[ArrayLike]
    ) -> tuple[Assumption, ...]:
        """Every assumption, with what these tables say of it."""
        return self._check(self._samples(x)[1])

    def _samples(
        self, x: Mapping[Hashable, ArrayLike] | Iterable[ArrayLike]
    ) -> tuple[tuple[Hashable, ...], Samples]:
        tables = domain_tables(x)
        m = next(iter(tables.values())).shape[1]
        for name, table in tables.items():
            if len(table) <= 2 * m or np.linalg.matrix_rank(np.cov(table.T)) < m:
                raise AssumptionError(
                    f"every domain needs more than {2 * m} rows of full rank, because x ↦ z is "
                    f"invertible; {name!r} has {len(table)} rows of {m} columns. Drop constant and "
                    "repeated columns."
                )
        self._require(len(tables), m)
        return tuple(tables), [*tables.values()]

    @abstractmethod
    def _require(self, num_domains: int, m: int) -> None:
        """Raise an `AssumptionError` where the method cannot be computed."""

    @abstractmethod
    def _learn(self, samples: Samples) -> DomainMap:
        """The map, from one checked table per domain."""

    @abstractmethod
    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        """The assumptions, on checked tables."""
