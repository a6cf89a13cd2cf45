"""Domains that are combinations, as of a site and a scanner, whose effects add up."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from elsewhere.crossed_labels import parted
from elsewhere.errors import DomainError

TOLERANCE = 1e-9


@dataclass(frozen=True)
class Combinations:
    """β_d = Σ_f a_f(part f of d) + interaction: the combinations that were seen.

    Attributes:
        labels: of the domains, as `crossed_labels.joined` makes them.
    """

    labels: tuple[Hashable, ...]

    @cached_property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The different parts at every place, in their order among the labels."""
        parts = [parted(label) for label in self.labels]
        if len({len(one) for one in parts}) > 1:
            raise ValueError(
                f"every domain must have as many parts as another; got {list(self.labels)[:5]}."
            )
        return tuple(tuple(dict.fromkeys(place)) for place in zip(*parts, strict=True))

    @property
    def parts(self) -> int:
        """How many parts each label has."""
        return len(self.levels)

    def indicators(self, labels: Sequence[Hashable]) -> Float[np.ndarray, "n q"]:
        """A: 1, and for every level whether the label has it."""
        rows = [parted(label) for label in labels]
        columns = [
            [float(row[place] == level) for row in rows]
            for place, levels in enumerate(self.levels)
            for level in levels
        ]
        return np.array([[1.0] * len(rows), *columns]).T

    @cached_property
    def seen(self) -> Float[np.ndarray, "D q"]:
        """A of the combinations that were seen."""
        return self.indicators(self.labels)

    @cached_property
    def rank(self) -> int:
        """The number of effects, and their mean, that the combinations tell apart."""
        return int(np.linalg.matrix_rank(self.seen))

    @cached_property
    def left_over(self) -> Float[np.ndarray, "D D"]:
        """I − A A⁺: what of the domains' effects does not add up."""
        return np.eye(len(self.labels)) - self.seen @ np.linalg.pinv(self.seen)

    @property
    def spare(self) -> int:
        """How many numbers tell whether effects add up."""
        return len(self.labels) - self.rank

    def weights(self, label: Hashable) -> Float[np.ndarray, " D"]:
        """w with β_new = Σ_d w_d β_d wherever effects add up.

        Args:
            label: a combination of known levels.
        """
        row = self.indicators([label])[0]
        found = row @ np.linalg.pinv(self.seen)
        if np.abs(found @ self.seen - row).max() > TOLERANCE:
            raise DomainError(
                f"{label!r} cannot be answered: no combination of {list(self.labels)} links its "
                "parts, so that their effects cannot be told apart. Rows of one more combination "
                "would tell."
            )
        return found

    def expected(self, label: Hashable) -> Float[np.ndarray, " D"] | None:
        """w with Σ_d w_d β_d what is expected of a combination, some of whose parts may be new.

        A new level is expected to be the mean of those that were seen. None where nothing links the
        parts.
        """
        known = parted(label)
        if len(known) != len(self.levels):
            return None
        row = [1.0]
        for part, levels in zip(known, self.levels, strict=True):
            new = part not in levels
            row += [1 / len(levels) if new else float(part == level) for level in levels]
        found = np.array(row) @ np.linalg.pinv(self.seen)
        return found if np.abs(found @ self.seen - row).max() <= TOLERANCE else None

    def tells(self, label: Hashable) -> bool:
        """Whether the effects of its parts add up to those of a combination that was not seen."""
        row = self.indicators([label])[0]
        return bool(np.abs(row @ self._told - row).max() <= TOLERANCE)

    @cached_property
    def _told(self) -> Float[np.ndarray, "q q"]:
        """A⁺ A, which leaves what the combinations seen tell as it is."""
        return np.linalg.pinv(self.seen) @ self.seen
