"""Rows by domain that are made when they are asked for, and kept by nobody."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Rows = Float[np.ndarray, "_ _"]


@dataclass(frozen=True)
class ByDomain(Mapping[Hashable, Rows]):
    """make(i) for the i-th domain, by its name.

    Attributes:
        domains: their names.
        make: from the place of a domain to its rows.
    """

    domains: Sequence[Hashable]
    make: Callable[[int], Rows]

    def __getitem__(self, domain: Hashable) -> Rows:
        return self.make(self.domains.index(domain))

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.domains)

    def __len__(self) -> int:
        return len(self.domains)
