"""One random split of a real data set: what a method is shown, and what it is asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from elsewhere.datasets.real import PairedData
from elsewhere.evaluation import give_samples, hidden_pairs_error

Rows = Float[np.ndarray, "n p"]
Answer = Callable[[int, int], Rows]


@dataclass(frozen=True)
class PairedSplit:
    """Every sample in one domain only.

    Args:
        data: the samples as measured in every domain.
        seed: of the split.
        ordered: whether the columns have an order.
    """

    data: PairedData
    seed: int
    ordered: bool = False

    @cached_property
    def given(self) -> Int[np.ndarray, " n"]:
        """The domain of each sample, by position."""
        n = len(self.data.samples)
        return give_samples(n, len(self.data.domains), seed=self.seed)

    @property
    def tables(self) -> list[Rows]:
        """What there is to fit on: one table per domain, no sample in two of them."""
        return [self.data.values[d, self.given == d] for d in range(len(self.data.domains))]

    def seen_pairs(self, d: int, d_prime: int) -> tuple[Rows, Rows]:
        """(x_d, x_d') of half of all samples, none of which is asked about: for references."""
        others = np.flatnonzero(self.given != d)
        half = min(len(self.data.samples) // 2, len(others))
        chosen = np.random.default_rng([self.seed, d, d_prime]).permutation(others)[:half]
        return self.data.values[d, chosen], self.data.values[d_prime, chosen]

    def error(self, answer: Answer) -> float:
        """The hidden-pairs error of a method's answers."""
        return hidden_pairs_error(self.data.values, self.given, answer)
