"""Could chance alone have brought this? Rows exchanged between domains say."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

TIMES = 799
LEVEL = 0.005  # a difference counts if no more than this share of exchanges brings as much
AT_ONCE = 50
ROUNDING = 1e-9  # exchanges that part the rows as observed count, in whatever order they are added

Statistic = Callable[[Float[np.ndarray, "t D q"]], Float[np.ndarray, " t"]]


def p_value(
    rows: Float[np.ndarray, "N q"],
    counts: Float[np.ndarray, " D"],
    statistic: Statistic,
) -> float:
    """The share of exchanges of rows between the domains whose statistic reaches the observed.

    Exact for any distribution of the rows if domains do not differ, up to the number of exchanges.
    The exchanges are the same for every table of the same shape, so that answers do not depend on
    a seed.

    Args:
        rows: one per sample, the domains' one after the other.
        counts: rows of each domain.
        statistic: of the means of rows over domains, large where domains differ, for a stack of
            exchanges at once.
    """
    rng, reached = np.random.default_rng(0), 0
    observed = (1 - ROUNDING) * statistic(means_of(rows, counts)[None])[0]
    labels = np.repeat(np.arange(len(counts)), counts.astype(int))
    for start in range(0, TIMES, AT_ONCE):
        times = min(AT_ONCE, TIMES - start)
        shuffled = np.stack([rng.permutation(labels) for _ in range(times)])
        member = (shuffled[:, None, :] == np.arange(len(counts))[:, None]).astype(rows.dtype)
        means = (member.reshape(-1, len(labels)) @ rows).reshape(times, len(counts), -1)
        means /= counts[:, None]
        reached += int((statistic(means) >= observed).sum())
    return (1 + reached) / (1 + TIMES)


def means_of(
    rows: Float[np.ndarray, "N q"], counts: Float[np.ndarray, " D"]
) -> Float[np.ndarray, "D q"]:
    """The mean over each domain's rows, which stand one after the other."""
    return np.stack([p.mean(axis=0) for p in np.split(rows, np.cumsum(counts).astype(int)[:-1])])
