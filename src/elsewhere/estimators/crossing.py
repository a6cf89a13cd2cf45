"""The crossing of several columns of domains: labels in columns, joined, or said in part."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from elsewhere.crossed_labels import joined, parted
from elsewhere.errors import DomainError
from elsewhere.estimators.labels import check_label
from elsewhere.fitting.moments.combinations import Combinations

MOST_COLUMNS = 3
MOST_SEEN, MOST_UNSEEN = 300, 1_000  # combinations up to which each one unseen is looked at


def is_crossed(domains: Any) -> bool:
    """Whether there are several columns of labels, each row having one of each."""
    return getattr(domains, "ndim", 1) == 2 and domains.shape[1] > 1


def one_column(domains: Any) -> Any:
    """Labels of several columns joined into one column, 'B × 2', called 'site × scanner'."""
    if not is_crossed(domains):
        return domains
    import pandas as pd

    if domains.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"domains must be 1 to {MOST_COLUMNS} columns of labels; got {domains.shape[1]}. Join "
            "some of them."
        )
    frame = domains if isinstance(domains, pd.DataFrame) else _named(pd.DataFrame(domains))
    if gone := [name for name in frame.columns if bool(np.any(frame[name].isna()))]:
        raise ValueError(f"domains must not be missing; column {gone[0]!r} has gaps. Drop them.")
    coded, found = pd.factorize(pd.MultiIndex.from_frame(frame))
    labels = np.array([joined(label) for label in found], object)[coded]
    return pd.Series(labels, frame.index, name=joined(list(frame.columns)), dtype=object)


@dataclass(frozen=True)
class Crossing:
    """What the columns of domains are called, and their combinations.

    Attributes:
        names: of the columns.
        seen: the combinations of the fit.
    """

    names: tuple[str, ...]
    seen: Combinations

    def label(self, asked: Any) -> Hashable:
        """The label of ('B', 2), {'site': 'B', 'scanner': 2} or 'B × 2'; any other as it is."""
        if isinstance(asked, Mapping):
            self._check_names(asked)
            asked = tuple(asked[name] for name in self.names)
        return joined(asked) if isinstance(asked, tuple) else check_label(asked)

    def changed(self, label: Hashable, asked: Mapping[Any, Any]) -> str:
        """The label with the parts that are asked for, and its own for all others."""
        known = [name for name in asked if name in self.names]
        if len(known) < len(asked):
            raise DomainError(f"a target names columns of {list(self.names)}; got {list(asked)}.")
        parts = zip(self.names, parted(label), strict=True)
        return joined([asked.get(name, part) for name, part in parts])

    def labels(self, asked: Any, sources: Any, n: int) -> Any:
        """Labels of rows, or one for all, in any of the ways in which they can be given.

        Args:
            asked: labels in columns, joined, one tuple, or a mapping that may leave parts out.
            sources: the labels of the rows, which keep the parts that are left out.
            n: how many rows there are.
        """
        if isinstance(asked, Mapping) and {*asked} != {*self.names}:
            own = sources if isinstance(sources, np.ndarray) else [sources] * n
            found = np.empty(n, object)
            found[:] = [self.changed(label, asked) for label in own]
            return found
        if is_crossed(asked):
            frame: Any = asked
            if hasattr(frame, "columns") and {*self.names} <= {*map(str, frame.columns)}:
                frame = frame.set_axis([*map(str, frame.columns)], axis=1)[list(self.names)]
            return one_column(frame).to_numpy()
        if hasattr(asked, "iloc") or isinstance(asked, list | np.ndarray):
            found = np.empty(len(asked), object)
            found[:] = [self.label(label) for label in asked]
            return found
        return self.label(asked)

    def check(self, label: Hashable) -> None:
        """Raise where the fit has never seen a part of the label."""
        parts = parted(label)
        if len(parts) != len(self.names):
            raise DomainError(
                f"a domain must be one of {list(self.seen.labels)}, or another combination of "
                f"{' and '.join(self.names)}; got {label!r}."
            )
        for name, part, levels in zip(self.names, parts, self.seen.levels, strict=True):
            if part not in levels:
                raise DomainError(f"{name} must be one of {list(levels)}; got {part!r}.")
        if label not in self._known and not self.seen.tells(label):
            raise DomainError(
                f"{label!r} cannot be answered: {' and '.join(self.names)} cannot be told apart "
                f"there, because no combination among {list(self.seen.labels)[:5]} links its "
                "parts. Rows of one more combination would tell."
            )

    def unseen(self) -> Iterator[str]:
        """Combinations that the fit has not seen."""
        return (
            label for label in map(joined, product(*self.seen.levels)) if label not in self._known
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Which combinations have no rows, and which cannot be answered."""
        number = math.prod(map(len, self.seen.levels)) - len(self._known)
        if not number:
            return ()
        names = " and ".join(self.names)
        if number > MOST_UNSEEN or len(self._known) > MOST_SEEN:
            return (
                f"{number:,} combinations of {names} without rows: those whose parts others link "
                f"can be asked for, and are answered by effects of {names}, added up, with wider "
                "intervals.",
            )
        return (self._of_unseen(list(self.unseen()), names),)

    def _of_unseen(self, unseen: list[str], names: str) -> str:
        """Which of few combinations without rows can be asked for."""
        told = [one for one in unseen if self.seen.tells(one)]
        if not told:
            return (
                f"{names} cannot be told apart: no two combinations link their effects. Rows are "
                "moved from one combination that was seen to another, and no other can be asked "
                "for."
            )
        count = "1 combination" if len(unseen) == 1 else f"{len(unseen)} combinations"
        found = f"{count} of {names} without rows, such as {told[0]!r}"
        answered = f"can be asked for, and are answered by effects of {names}, added up"
        if lost := [one for one in unseen if one not in told]:
            return (
                f"{found}: {len(told)} {answered}; {len(lost)}, such as {lost[0]!r}, cannot, "
                "because nothing seen links their parts."
            )
        return f"{found}: they {answered}, with wider intervals."

    @property
    def _known(self) -> set[Hashable]:
        return {*self.seen.labels}

    def _check_names(self, asked: Mapping[Any, Any]) -> None:
        if {*asked} != {*self.names}:
            raise DomainError(f"a domain must name {list(self.names)}; got {list(asked)}.")


def _named(frame: Any) -> Any:
    return frame.set_axis([f"domain {i + 1}" for i in range(frame.shape[1])], axis=1)


def crossing_of(name: Hashable, domains: Sequence[Hashable]) -> Crossing | None:
    """The crossing that joined names and labels tell of; None where there is one column."""
    names = parted(name)
    if len(names) < 2 or any(len(parted(d)) != len(names) for d in domains):
        return None
    return Crossing(names, Combinations(tuple(domains)))
