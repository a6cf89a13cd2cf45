"""The contract of every engine: what it demands of the rows, and what it makes of them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Literal

from elsewhere.arrays import Key, PRNGKeyArray
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import Named, Split

K = int | Literal["auto"] | None  # how many mechanisms may differ; None is Dense


class Engine(ABC):
    """A way to fit. A concrete engine is a frozen dataclass whose fields are its options.

    The fields must be plain values (numbers, text, or dataclasses of these) for the engine to be
    saved with the models that it fits.
    """

    @abstractmethod
    def check(self, tables: Named) -> None:
        """Raise where this engine cannot use the rows, naming the domain and the columns."""

    @abstractmethod
    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """One result for every k, from rows that `check` let pass.

        Args:
            key: of everything that is drawn.
            rows: shuffled rows to fit and rows held out, by domain.
            ks: how many mechanisms may differ; "auto" finds it, None is Dense.
            progress: called with the fraction done and a line of text.
        """

    def row_key(self, key: PRNGKeyArray, ks: Sequence[K]) -> Key:
        """The key of the order of the rows, and so of those held out."""
        return key

    def for_pairs(self) -> "Engine | None":
        """This engine, kept from models that pairs cannot refine; None where they refine none."""
        return None

    def draws(self, ks: Sequence[K]) -> bool:
        """Whether the key is used; where it is not, any words may stand for it."""
        return True


def check_k(k: K, m: int) -> None:
    """Raise where k is no number of mechanisms."""
    if k is None or k == "auto":
        return
    if not isinstance(k, int) or not 0 <= k <= m:
        raise ValueError(
            f"k must be in 0..{m}, because the data have {m} columns, or 'auto', or None for "
            f"Dense; got {k!r}."
        )
