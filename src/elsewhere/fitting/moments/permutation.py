"""Could chance alone have brought this? Rows exchanged between domains say."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

TIMES = 799
LEVEL = 0.005  # a difference counts if no more than this share of exchanges brings as much
AT_ONCE = 50
ROUNDING = 1e-9  # exchanges that part the rows as observed count, in whatever order they are added

Statistic = Callable[[Float[np.ndarray, "t D q"]], Float[np.ndarray, "t *s"]]


def p_value(
    rows: Float[np.ndarray, "N q"],
    counts: Float[np.ndarray, " D"],
    statistic: Statistic,
) -> float:
    """The share of exchanges of rows between the domains whose statistic reaches the observed.

    Exact for any distribution of the rows if domains do not differ, up to the number of exchanges.
    The exchanges are the same for every table of the same shape, so that answers do not depend on
    a seed. Of several statistics the smallest p-value counts, and is compared with the smallest
    that every exchange has (Westfall and Young, 1993): to look at many costs no more than needed.

    Args:
        rows: one per sample, the domains' one after the other.
        counts: rows of each domain.
        statistic: of the means of rows over domains, large where domains differ, for a stack of
            exchanges at once; or several of them, one per column.
    """
    rng = np.random.default_rng(0)
    found = [statistic(means_of(rows, counts)[None])]
    labels = np.repeat(np.arange(len(counts)), counts.astype(int))
    for start in range(0, TIMES, AT_ONCE):
        times = min(AT_ONCE, TIMES - start)
        shuffled = np.stack([rng.permutation(labels) for _ in range(times)])
        member = (shuffled[:, None, :] == np.arange(len(counts))[:, None]).astype(rows.dtype)
        means = (member.reshape(-1, len(labels)) @ rows).reshape(times, len(counts), -1)
        found.append(statistic(means / counts[:, None]))
    smallest = _shares_reached(np.concatenate(found)).min(axis=1)
    return float((smallest <= smallest[0]).mean())


def _shares_reached(values: Float[np.ndarray, "t *s"]) -> Float[np.ndarray, "t s"]:
    """For every value the share of its column that is as large, itself included."""
    columns = values.reshape(len(values), -1).T
    reached = [np.searchsorted(np.sort(c), (1 - ROUNDING) * c) for c in columns]
    return 1 - np.stack(reached, axis=1) / len(values)


def means_of(
    rows: Float[np.ndarray, "N q"], counts: Float[np.ndarray, " D"]
) -> Float[np.ndarray, "D q"]:
    """The mean over each domain's rows, which stand one after the other."""
    return np.stack([p.mean(axis=0) for p in np.split(rows, np.cumsum(counts).astype(int)[:-1])])
