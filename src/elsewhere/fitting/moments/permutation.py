"""Could chance alone have brought this? Rows exchanged between domains say."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

TIMES = 799
LEVEL = 0.005  # a difference counts if no more than this share of exchanges brings as much
AT_ONCE = 50
MANY = 20_000  # rows; where there are more, they change places in groups
FEWEST = 200  # groups of the smallest domain
ROUNDING = 1e-9  # exchanges that part the rows as observed count, in whatever order they are added

Statistic = Callable[[Float[np.ndarray, "t D f"]], Float[np.ndarray, "t *s"]]
Sums = Callable[[Float[np.ndarray, "G s q"]], Float[np.ndarray, "G f"]]


def plain_sums(groups: Float[np.ndarray, "G s q"]) -> Float[np.ndarray, "G q"]:
    """Σ x over the rows of each group."""
    return groups.sum(axis=1)


def p_value(
    rows: Float[np.ndarray, "N q"],
    counts: Float[np.ndarray, " D"],
    statistic: Statistic,
    sums: Sums = plain_sums,
) -> float:
    """The share of exchanges of rows between the domains whose statistic reaches the observed.

    Exact for any distribution of the rows if domains do not differ, up to the number of exchanges.
    The exchanges are the same for every table of the same shape, so that answers do not depend on
    a seed. Of several statistics the smallest p-value counts, and is compared with the smallest
    that every exchange has (Westfall and Young, 1993): to look at many costs no more than needed.
    Of many rows, groups of one size change places, and what is left over stays: fewer exchanges,
    but exact all the same, in a time that hardly grows with the rows.

    Args:
        rows: one per sample, the domains' one after the other.
        counts: rows of each domain.
        statistic: of the means of features over domains, large where domains differ, for a stack
            of exchanges at once; or several of them, one per column.
        sums: the features of rows, summed over each group; the rows themselves, if not given.
    """
    groups, left, numbers = in_groups(rows, counts, sums)
    labels = np.repeat(np.arange(len(counts)), numbers)

    def reached(exchanged: Int[np.ndarray, "t G"]) -> Float[np.ndarray, "t *s"]:
        member = (exchanged[:, None, :] == np.arange(len(counts))[:, None]).astype(rows.dtype)
        total = member.reshape(-1, len(labels)) @ groups
        total = total.reshape(len(exchanged), len(counts), -1) + left
        return statistic(total / counts[:, None])

    exchanges = _exchanges(tuple(map(int, numbers)))
    parts = (exchanges[start : start + AT_ONCE] for start in range(0, TIMES, AT_ONCE))
    found = [reached(labels[None]), *map(reached, parts)]
    smallest = _shares_reached(np.concatenate(found)).min(axis=1)
    return float((smallest <= smallest[0]).mean())


@lru_cache(maxsize=2)
def _exchanges(numbers: tuple[int, ...]) -> Int[np.ndarray, "t G"]:
    """The domains of groups, exchanged TIMES times; a fit tests many tables of one shape."""
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(len(numbers)), numbers)
    kind = np.int8 if len(numbers) < 128 else np.int32
    return np.stack([rng.permutation(labels).astype(kind) for _ in range(TIMES)])


def _shares_reached(values: Float[np.ndarray, "t *s"]) -> Float[np.ndarray, "t s"]:
    """For every value the share of its column that is as large, itself included."""
    columns = values.reshape(len(values), -1).T
    reached = [np.searchsorted(np.sort(c), (1 - ROUNDING) * c) for c in columns]
    return 1 - np.stack(reached, axis=1) / len(values)


def in_groups(
    rows: Float[np.ndarray, "N q"], counts: Float[np.ndarray, " D"], sums: Sums
) -> tuple[Float[np.ndarray, "G f"], Float[np.ndarray, "D f"], Int[np.ndarray, " D"]]:
    """(sums of the groups, sums over each domain's left-over rows, groups of each domain).

    A group is one row, unless there are many.
    """
    size = int(max(1, min(len(rows) // MANY, counts.min() // FEWEST)))
    numbers = counts.astype(int) // size
    ends = np.cumsum(counts).astype(int)
    cut = ends - counts.astype(int) % size
    starts = np.concatenate([[0], ends[:-1]])
    shapes = [(n, size, rows.shape[1]) for n in numbers]
    groups = [rows[a:b].reshape(s) for a, b, s in zip(starts, cut, shapes, strict=True)]
    left = [sums(rows[None, b:end]) for b, end in zip(cut, ends, strict=True)]
    return np.concatenate([sums(g) for g in groups]), np.concatenate(left), numbers
