"""Rows seen in two domains, from a file."""

from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.labels import read_labels
from elsewhere.cli.tables import check_columns, frame
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.tables import TableError, TableFile, open_table

PAIR = "pair"
Reader = Callable[[TableFile, pa.Table], pd.DataFrame]


def read_pairs(
    path: str,
    domain: str,
    names: Sequence[str],
    known: Collection[Hashable],
    levels: Sequence[Hashable] = (),
    keep: Sequence[str] = (),
    kept: Reader | None = None,
) -> list[tuple[Any, ...]]:
    """(d, d', rows in d, the same samples in d') for every two domains that share samples.

    The file has the columns to model, the column of domains, and a column `pair` that says which
    rows are of one sample. Covariates, where any are kept, are a fifth part.

    Args:
        path: of the file.
        domain: the column of domains.
        names: the columns to model.
        known: the domains that there are.
        levels: columns of ordered levels.
        keep: the covariates.
        kept: reads these.
    """
    file = joined_file(open_table(path), domain)
    check_columns(file, [domain, PAIR, *names, *keep])
    rows = file.read()
    codes, labels = read_labels(rows, domain, file)
    if unknown := [d for d in labels if d not in known]:
        raise TableError(
            f"{path} has domains {unknown} that were not fitted; known are {[*known]}."
        )
    X = frame(file, rows, names, 1, levels)
    C = kept(file, rows) if keep and kept else None
    samples = np.array([str(value) for value in rows[PAIR].to_pylist()], object)
    by_domain = {d: _places(path, d, samples, codes == i) for i, d in enumerate(labels)}
    found = [
        (d, e, *_measured(path, X, C, by_domain[d], by_domain[e], both))
        for d, e in combinations(labels, 2)
        if (both := [sample for sample in by_domain[d] if sample in by_domain[e]])
    ]
    if not found:
        raise TableError(
            f"{path} must have rows of two domains with the same value of {PAIR!r}; none are."
        )
    return found


def _measured(
    path: str,
    X: pd.DataFrame,
    C: pd.DataFrame | None,
    here: dict[str, int],
    there: dict[str, int],
    samples: list[str],
) -> tuple[pd.DataFrame, ...]:
    """(rows of the samples here, their rows there), and their covariates where any are kept."""
    first, second = ([one[sample] for sample in samples] for one in (here, there))
    measured = X.loc[first], X.loc[second]
    return measured if C is None else (*measured, _of_both(path, C, first, second, samples))


def _of_both(
    path: str, C: pd.DataFrame, here: list[int], there: list[int], samples: list[str]
) -> pd.DataFrame:
    """The covariates of every sample, which are the same wherever it is seen."""
    for name in C.columns:
        a, b = C.loc[here, name].tolist(), C.loc[there, name].tolist()
        apart = next((i for i, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]), -1)
        if apart >= 0:
            raise TableError(
                f"{path} has {PAIR} {samples[apart]!r} with {name} {a[apart]!r} and {b[apart]!r}: "
                "what is kept must be the same wherever a sample is seen. Write one value in both "
                "rows, or leave the sample out."
            )
    return C.loc[here]


def _places(path: str, d: Any, samples: np.ndarray, of: np.ndarray) -> dict[str, int]:
    """The row of each sample in a domain; rows count from 1."""
    rows = np.flatnonzero(of) + 1
    found = dict(zip(samples[of], rows.tolist(), strict=True))
    if len(found) < len(rows):
        twice = next(s for s in found if (samples[of] == s).sum() > 1)
        raise TableError(
            f"{path} has {PAIR} {twice!r} twice in {d!r}; each sample may occur once per domain."
        )
    return found
