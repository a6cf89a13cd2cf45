"""58 cell lines of the NCI-60, each measured on two microarrays."""

import os

import numpy as np
import pandas as pd

from elsewhere.datasets.real.paired import PairedData, pair
from elsewhere.datasets.real.source import Source, keyed

ARRAYS = ("gpl96", "gpl570")
_KEYS = ("cell_line", "tissue", "array")


def load_cell_lines(
    directory: str | os.PathLike[str] | None = None, *, most_variable: int | None = 500
) -> PairedData:
    """Log2 expression of every cell line on U133A (gpl96) and U133 Plus 2.0 (gpl570).

    The same cell lines, not the same tube of RNA.

    Args:
        directory: has `nci60_two_arrays/nci60.csv.gz` or that file; else $ELSEWHERE_DATA or a
            cache folder. It was published as an R file, which is not downloaded.
        most_variable: how many genes to keep, those with the largest sum of the variances within
            each array; None keeps all.
    """
    data = pair("cell lines", CELL_LINES.table(directory), ARRAYS)
    if most_variable is None:
        return data
    if not 1 <= most_variable <= len(data.columns):
        raise ValueError(f"most_variable must be in 1..{len(data.columns)}; got {most_variable}.")
    spread = data.values.var(axis=1).sum(axis=0)
    return data.select(np.sort(np.argsort(-spread, kind="stable")[:most_variable]))


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    genes = [name for name in frame.columns if name not in _KEYS]
    return keyed("cell lines", frame, "cell_line", "array", genes)


CELL_LINES = Source(
    name="nci60_two_arrays",
    file="nci60.csv.gz",
    sha256="e64ebcc867ff6fe3b67c62c7c83bc7816297adf99cafd2e66e91d6d9e655da19",
    tidy=_tidy,
    origin="CellMiner, NCI; gpl570_gpl96.rda of the R package MatchMixeR, GPL (>= 2)",
)
