"""Are rows moved into a domain skewed as its own are? Means and spreads are; this comes next."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from elsewhere.trust.case import Case, Rows

PERMUTATIONS = 199
MOST_TARGETS = 4  # domains into which rows are moved for this
NOTICEABLE = 0.05
LARGE_SKEWNESS = 0.5  # from which on a distribution is no longer called nearly symmetric


def skewed_apart(case: Case, columns: Sequence[int]) -> list[tuple[float, str]]:
    """The columns of moved rows whose skewness differs by more than chance, and by how much.

    The fit matches means and covariances, so that what it does not explain shows first in third
    moments: a sign that follows a cause folds a column, and a folded column is skewed.
    """
    targets = [*case.linked][:MOST_TARGETS]
    views = [_moved_to(case, e, columns) for e in targets]
    codes = np.repeat(np.arange(len(case.linked)), [len(rows) for rows in case.linked.values()])
    apart, limit = skewness_apart(np.concatenate(views, axis=1), codes, case.rng(5))
    names = [f"{case.names[j]} in {e}" for e in targets for j in columns]
    most = apart.max(axis=0)
    return [(float(most[i]), names[i]) for i in np.flatnonzero(most > max(limit, NOTICEABLE))]


def skewness_apart(
    rows: Rows, codes: Int[np.ndarray, " n"], rng: np.random.Generator
) -> tuple[Float[np.ndarray, "D q"], float]:
    """|skewness in d − that in all others| of every column, and the most that chance brings.

    Rows change places PERMUTATIONS times after those of each domain have mean 0 and deviation 1.
    3 z is taken from z³: its mean is 0 in every domain, and without it chance brings less.
    """
    z = np.empty_like(rows, dtype=float)
    for d in np.unique(codes):
        z[codes == d] = _standardised(rows[codes == d])
    cubes = z**3 - 3 * z
    chance = [_apart(cubes, rng.permutation(codes)).max() for _ in range(PERMUTATIONS)]
    return _apart(cubes, codes), float(max(chance))


def _moved_to(case: Case, e: object, columns: Sequence[int]) -> Rows:
    every = [rows if d == e else case.carried[d, e] for d, rows in case.linked.items()]
    return np.concatenate(every)[:, columns]


def _standardised(rows: Rows) -> Rows:
    centred = rows - rows.mean(axis=0)
    deviation = centred.std(axis=0)
    return centred / np.where(deviation > 0, deviation, 1.0)


def _apart(cubes: Rows, codes: Int[np.ndarray, " n"]) -> Float[np.ndarray, "D q"]:
    sizes = np.bincount(codes)[:, None]
    sums = np.stack([cubes[codes == d].sum(axis=0) for d in range(len(sizes))])
    others = (sums.sum(axis=0) - sums) / (len(cubes) - sizes)
    return np.abs(sums / sizes - others)
