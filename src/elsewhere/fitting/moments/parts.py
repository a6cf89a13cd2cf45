"""Rows of each domain that are computed when they are asked for, so that many fit into memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Rows = Float[np.ndarray, "_ _"]


@dataclass(frozen=True)
class Parts(Sequence[Rows]):
    """f(d) for every domain d, computed anew whenever it is asked for.

    Attributes:
        make: f.
        sizes: how many rows each domain has.
    """

    make: Callable[[int], Rows]
    sizes: tuple[int, ...]

    def __getitem__(self, i):  # type: ignore[no-untyped-def]
        places = range(len(self.sizes))[i]
        return self.make(places) if isinstance(places, int) else [*map(self.make, places)]

    def __iter__(self) -> Iterator[Rows]:
        return map(self.make, range(len(self.sizes)))

    def __len__(self) -> int:
        return len(self.sizes)


def parts_of(
    make: Callable[..., Rows], rows: Sequence[Rows], *more: Sequence[np.ndarray] | np.ndarray
) -> Parts:
    """make(rows of d, …) for every domain d."""
    return Parts(lambda d: make(rows[d], *(one[d] for one in more)), sizes_of(rows))


def sizes_of(parts: Sequence[np.ndarray]) -> tuple[int, ...]:
    """How many rows each domain has."""
    return parts.sizes if isinstance(parts, Parts) else tuple(map(len, parts))


def together(parts: Sequence[Rows]) -> Float[np.ndarray, "_ _"]:
    """The rows of all domains, one after the other; beside them, those of one domain at a time."""
    if not isinstance(parts, Parts):
        return np.concatenate(parts)
    ends = np.cumsum((0, *parts.sizes)).tolist()
    first: Rows = parts[0]  # type: ignore[assignment]
    every = np.empty((ends[-1], first.shape[1]), first.dtype)
    for d, (start, end) in enumerate(zip(ends, ends[1:], strict=False)):
        every[start:end] = parts[d] if d else first
    return every
