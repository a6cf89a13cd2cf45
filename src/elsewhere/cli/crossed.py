"""Crossed domains on the command line: --domain site,scanner and --to site=B,scanner=2."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from elsewhere.cli.options import words
from elsewhere.crossed_labels import joined, parted
from elsewhere.estimators.arrow_cells import as_type, repeated_label, repeated_part
from elsewhere.estimators.crossing import Crossing


@dataclass(frozen=True)
class OneDomain:
    """A target that is the same for all rows."""

    label: Hashable

    def __str__(self) -> str:
        return str(self.label)

    def reached(self, domains: Sequence[Hashable]) -> list[Hashable]:
        """The domains that rows of these domains are moved to."""
        return [self.label]

    def by_row(self, labels: np.ndarray) -> Any:
        """The label, which is that of every row."""
        return self.label


@dataclass(frozen=True)
class Changed:
    """A target that says some parts of a combination; each row keeps its own for the others."""

    crossing: Crossing
    parts: Mapping[str, str]

    def __str__(self) -> str:
        return ",".join(f"{name}={part}" for name, part in self.parts.items())

    def reached(self, domains: Sequence[Hashable]) -> list[Hashable]:
        """The domains that rows of these domains are moved to."""
        return [self.crossing.changed(d, self.parts) for d in domains]

    def by_row(self, labels: np.ndarray) -> Any:
        """The target of every row, given the domains that rows come from."""
        return self.crossing.labels(self.parts, labels, len(labels))


Target = OneDomain | Changed


def domain_name(names: Sequence[str], asked: str) -> str:
    """The column that --domain names: one of the table's, or several, joined."""
    parts = words(asked)
    return asked if asked in names or len(parts) < 2 else joined(parts)


def in_columns(labels: pd.Series) -> Any:
    """The labels as the estimator takes them: those of a joined column in as many columns."""
    names = parted(labels.name)
    parts = [parted(label) for label in labels]
    if len(names) < 2 or any(len(one) != len(names) for one in parts):
        return labels
    return pd.DataFrame(parts, labels.index, list(names))


def called(crossing: Crossing | None, known: Mapping[str, Hashable], text: str) -> Target:
    """The domain of 'B × 2', or of site=B,scanner=2; a part alone leaves the others as they are.

    Args:
        crossing: of the model; None for a column of domains.
        known: the domains by what their labels read like.
        text: what was asked for.
    """
    if crossing is None or text in known:
        return OneDomain(known.get(text, text))
    pairs = [part.partition("=") for part in words(text)]
    asked = {name.strip(): part.strip() for name, _, part in pairs}
    if not {*asked} <= {*crossing.names}:
        return OneDomain(text)
    whole = len(asked) == len(crossing.names)
    return OneDomain(crossing.label(asked)) if whole else Changed(crossing, asked)


def domain_columns(
    names: Sequence[str], target: Any, types: pa.Schema, batch: pa.Table
) -> dict[str, Any]:
    """The columns of domains in an answer.

    Args:
        names: of the columns; one, unless domains are crossed.
        target: the domain of all rows, or one for each.
        types: of the answer's columns.
        batch: the table asked about, which may lack them.
    """
    found = {}
    for place, name in enumerate(names):
        kind, there = types.field(name).type, name in batch.column_names
        known = batch[name].combine_chunks() if there else None
        if np.ndim(target):
            parts = pa.array([parted(label)[place] for label in target])
            found[name] = as_type(parts, kind)
        elif len(names) > 1:
            found[name] = repeated_part(parted(target)[place], kind, batch.num_rows, known)
        else:
            found[name] = repeated_label(target, kind, batch.num_rows, known)
    return found
