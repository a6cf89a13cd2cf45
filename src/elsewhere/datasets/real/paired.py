"""Samples that were measured in every domain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from elsewhere.datasets.real.source import RealDataError


@dataclass(frozen=True)
class PairedData:
    """values[d, i]: what was measured of sample i in domain d.

    Args:
        name: the data set's name.
        values: all measurements, [domains, samples, columns].
        domains: the domains' names.
        samples: the samples' names, the pairing key.
        columns: the columns' names.
    """

    name: str
    values: Float[np.ndarray, "D n p"]
    domains: tuple[str, ...]
    samples: tuple[str, ...]
    columns: tuple[str, ...]

    def select(self, columns: Int[np.ndarray, " q"]) -> "PairedData":
        """The same samples with these columns only, given by their positions."""
        names = tuple(self.columns[j] for j in columns)
        return replace(self, values=self.values[:, :, columns], columns=names)


def pair(name: str, table: pd.DataFrame, domains: Sequence[str]) -> PairedData:
    """The samples that `table` has in each of these domains, sorted by their key.

    Args:
        name: the data set's name.
        table: the measurements, indexed by (sample, domain).
        domains: the domains to keep, in this order.
    """
    parts = [cast(pd.DataFrame, table.xs(d, level="domain")) for d in domains]
    samples = parts[0].index
    for part in parts[1:]:
        samples = samples.intersection(part.index)
    samples = samples.sort_values()
    if len(samples) == 0:
        raise RealDataError(f"{name}: no sample was measured in each of {', '.join(domains)}.")
    values = np.stack([part.loc[samples].to_numpy(float) for part in parts])
    keys, columns = tuple(map(str, samples)), tuple(map(str, table.columns))
    return PairedData(name, values, tuple(domains), keys, columns)
