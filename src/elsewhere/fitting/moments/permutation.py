"""Could chance alone have brought this? Rows exchanged between domains say."""

from collections.abc import Callable, Sequence
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
    strata: Int[np.ndarray, " N"] | None = None,
) -> float:
    """The first of `p_values`, that of the rows as observed."""
    return float(p_values(rows, counts, statistic, sums, strata)[0])


def product_by_chance(tests: Sequence[Float[np.ndarray, " _"]]) -> float:
    """The p-value of Π_k p_k (Fisher, 1932), among those of exchanges, which all tests share.

    Several small differences are found that no test finds alone, and tests that go together count
    for no more than they tell, since in every exchange they go together, too. A test that had
    nothing to look at has one p-value for all exchanges.
    """
    logs = np.sum(np.broadcast_arrays(*map(np.log, tests)), axis=0)
    return float(np.mean(logs <= logs[0] * (1 - ROUNDING)))


def p_values(
    rows: Float[np.ndarray, "N q"],
    counts: Float[np.ndarray, " D"],
    statistic: Statistic,
    sums: Sums = plain_sums,
    strata: Int[np.ndarray, " N"] | None = None,
) -> Float[np.ndarray, " t"]:
    """The share of exchanges of rows between the domains whose statistic reaches the observed.

    The first is that of the rows as observed, the others are those of every exchange in its place.
    Exact for any distribution of the rows if domains do not differ, up to the number of exchanges.
    The exchanges are the same for every table of the same shape, so that answers do not depend on
    a seed. Of several statistics the smallest p-value counts, and is compared with the smallest
    that every exchange has (Westfall and Young, 1993): to look at many costs no more than needed.
    Of many rows, groups of one size change places, and what is left over stays: fewer exchanges,
    but exact all the same, in a time that hardly grows with the rows.

    With strata, rows change places within these only, and their features are levelled: what strata
    differ by, and domains have more or fewer rows of, is then no difference of the domains.

    Args:
        rows: one per sample, the domains' one after the other.
        counts: rows of each domain.
        statistic: of the means of features over domains, large where domains differ, for a stack
            of exchanges at once; or several of them, one per column.
        sums: the features of rows, summed over each group; the rows themselves, if not given.
        strata: of every row, 0, 1, …; one for all, if not given.
    """
    size = group_size(counts)
    rows, cells = (rows, counts[None]) if strata is None else in_strata(rows, counts, strata)
    groups, left, numbers = in_groups(rows, cells.ravel(), sums, size)
    groups, left = levelled(groups, left, cells, size)
    left = left.reshape(*cells.shape, -1).sum(axis=0)
    numbers = numbers.reshape(cells.shape)
    labels = np.repeat(np.tile(np.arange(len(counts)), len(cells)), numbers.ravel())

    every = groups.sum(axis=0)  # so that the last domain's sums need no pass over the groups

    def reached(exchanged: Int[np.ndarray, "t G"]) -> Float[np.ndarray, "t *s"]:
        first = np.arange(len(counts) - 1)[:, None]
        member = (exchanged[:, None, :] == first).astype(rows.dtype)
        total = (member.reshape(-1, len(labels)) @ groups).reshape(len(exchanged), len(first), -1)
        rest = every - total.sum(axis=1)
        total = np.concatenate([total, rest[:, None]], axis=1) + left
        return statistic(total / counts[:, None])

    exchanges = _exchanges(tuple(tuple(map(int, row)) for row in numbers))
    parts = (exchanges[start : start + AT_ONCE] for start in range(0, TIMES, AT_ONCE))
    found = [reached(labels[None]), *map(reached, parts)]
    smallest = _shares_reached(np.concatenate(found)).min(axis=1)
    return np.searchsorted(np.sort(smallest), smallest, side="right") / len(smallest)


@lru_cache(maxsize=2)
def _exchanges(numbers: tuple[tuple[int, ...], ...]) -> Int[np.ndarray, "t G"]:
    """The domains of groups, exchanged TIMES times; a fit tests many tables of one shape."""
    rng, domains = np.random.default_rng(0), len(numbers[0])
    kind = np.int8 if domains < 128 else np.int32
    labels = [np.repeat(np.arange(domains), row) for row in numbers]
    drawn = (np.concatenate([rng.permutation(x) for x in labels]) for _ in range(TIMES))
    return np.stack([one.astype(kind) for one in drawn])


def in_strata(
    rows: Float[np.ndarray, "N q"], counts: Float[np.ndarray, " D"], strata: Int[np.ndarray, " N"]
) -> tuple[Float[np.ndarray, "N q"], Float[np.ndarray, "S D"]]:
    """(rows by stratum, in each by domain; how many there are of each)."""
    domains = np.repeat(np.arange(len(counts)), counts.astype(int))
    cells = np.zeros((int(strata.max()) + 1, len(counts)))
    np.add.at(cells, (strata, domains), 1)
    return rows[np.lexsort((domains, strata))], cells


def _shares_reached(values: Float[np.ndarray, "t *s"]) -> Float[np.ndarray, "t s"]:
    """For every value the share of its column that is as large, itself included."""
    columns = values.reshape(len(values), -1).T
    reached = [np.searchsorted(np.sort(c), (1 - ROUNDING) * c) for c in columns]
    return 1 - np.stack(reached, axis=1) / len(values)


def levelled(
    groups: Float[np.ndarray, "G f"],
    left: Float[np.ndarray, "C f"],
    cells: Float[np.ndarray, "S D"],
    size: int,
) -> tuple[Float[np.ndarray, "G f"], Float[np.ndarray, "C f"]]:
    """The sums of features, less how far the mean over their stratum is from the mean of all."""
    if len(cells) == 1:
        return groups, left
    numbers = (cells // size).astype(int).ravel()
    home = np.repeat(np.arange(len(cells)), cells.shape[1])
    where = np.repeat(home, numbers)
    sums = np.zeros((len(cells), groups.shape[1]))
    np.add.at(sums, where, groups)
    np.add.at(sums, home, left)
    counts = cells.sum(axis=1, keepdims=True)
    apart = sums / counts - sums.sum(axis=0) / counts.sum()
    return groups - size * apart[where], left - (cells.ravel() % size)[:, None] * apart[home]


def group_size(counts: Float[np.ndarray, " D"]) -> int:
    """How many rows change places together: one, unless there are many."""
    return int(max(1, min(counts.sum() // MANY, counts.min() // FEWEST)))


def in_groups(
    rows: Float[np.ndarray, "N q"], counts: Float[np.ndarray, " D"], sums: Sums, size: int
) -> tuple[Float[np.ndarray, "G f"], Float[np.ndarray, "D f"], Int[np.ndarray, " D"]]:
    """(sums of groups of this size, sums over each part's left-over rows, groups of each part)."""
    numbers = counts.astype(int) // size
    ends = np.cumsum(counts).astype(int)
    cut = ends - counts.astype(int) % size
    starts = np.concatenate([[0], ends[:-1]])
    shapes = [(n, size, rows.shape[1]) for n in numbers]
    groups = [rows[a:b].reshape(s) for a, b, s in zip(starts, cut, shapes, strict=True)]
    left = [sums(rows[None, b:end]) for b, end in zip(cut, ends, strict=True)]
    return np.concatenate([sums(g) for g in groups]), np.concatenate(left), numbers
