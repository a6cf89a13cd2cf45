"""Rows seen in two domains, from a file."""

from collections.abc import Collection, Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from elsewhere.cli.labels import column_labels, str_of_int
from elsewhere.cli.tables import check_columns, frame
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.tables import TableError, open_table

PAIR = "pair"


def read_pairs(
    path: str,
    domain: str,
    names: Sequence[str],
    known: Collection[Hashable],
    levels: Sequence[Hashable] = (),
) -> list[tuple[Any, Any, pd.DataFrame, pd.DataFrame]]:
    """(d, d', rows in d, the same samples in d') for every two domains that share samples.

    The file has the columns to model, the column of domains, and a column `pair` that says which
    rows are of one sample.

    Args:
        path: of the file.
        domain: the column of domains.
        names: the columns to model.
        known: the domains that there are.
        levels: columns of ordered levels.
    """
    file = joined_file(open_table(path), domain)
    check_columns(file, [domain, PAIR, *names])
    rows = file.read()
    codes, labels = column_labels(rows, domain, file)
    if file.is_text and all(str_of_int(label) for label in labels):
        labels = [int(label) for label in labels]
    if unknown := [d for d in labels if d not in known]:
        raise TableError(
            f"{path} has domains {unknown} that were not fitted; known are {[*known]}."
        )
    X = frame(file, rows, names, 1, levels)
    samples = np.array([str(value) for value in rows[PAIR].to_pylist()], object)
    by_domain = {d: _places(path, d, samples, codes == i) for i, d in enumerate(labels)}
    found = [
        (d, e, X.loc[[by_domain[d][s] for s in both]], X.loc[[by_domain[e][s] for s in both]])
        for d, e in combinations(labels, 2)
        if (both := [s for s in by_domain[d] if s in by_domain[e]])
    ]
    if not found:
        raise TableError(
            f"{path} must have rows of two domains with the same value of {PAIR!r}; none are."
        )
    return found


def _places(path: str, d: Any, samples: np.ndarray, of: np.ndarray) -> dict[str, int]:
    """The row of each sample in a domain; rows count from 1."""
    rows = np.flatnonzero(of) + 1
    found = dict(zip(samples[of], rows.tolist(), strict=True))
    if len(found) < len(rows):
        twice = next(s for s in found if (samples[of] == s).sum() > 1)
        raise TableError(f"{path} has {PAIR} {twice!r} twice in {d!r}; once in each domain is due.")
    return found
