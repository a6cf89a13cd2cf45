"""Hidden pairs: fit as if no sample had been measured twice, then look at what was measured."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
from jaxtyping import Float, Int

Rows = Float[np.ndarray, "n p"]
Answer = Callable[[int, int], Rows]  # x̂_{d→d'} of the rows that were given to d


def give_samples(samples: int, domains: int, *, seed: int) -> Int[np.ndarray, " n"]:
    """The domain each sample is given to: one only, at random, equally many (±1) in each."""
    if domains < 2 or samples < 2 * domains:
        raise ValueError(
            "samples must be at least twice as many as domains, of which there must be at least 2; "
            f"got {samples} samples and {domains} domains."
        )
    return np.random.default_rng(seed).permutation(samples) % domains


def hidden_pairs_error(
    values: Float[np.ndarray, "D n p"], given: Int[np.ndarray, " n"], answer: Answer
) -> float:
    """mean over d ≠ d', rows of d and columns j of (x̂_{d→d'} − x_{d'})²_j/Var_j(x_{d'}).

    0 is perfect, 1 is what answering with the target's mean scores. The variance is over all
    samples in the target.

    Args:
        values: every sample as measured in every domain.
        given: the domain each sample is given to, by `give_samples`.
        answer: (d, d') ↦ x̂_{d→d'} of the rows values[d, given == d].
    """
    units = values.var(axis=1)
    if (units <= 0).any():
        d, j = np.argwhere(units <= 0)[0]
        raise ValueError(
            f"values must vary in every column of every domain; column {j} is constant in "
            f"domain {d}. Leave it out."
        )
    pairs = permutations(range(len(values)), 2)
    return float(np.mean([_error(answer(d, e), values[e, given == d], units[e]) for d, e in pairs]))


def _error(estimated: np.ndarray, true: Rows, unit: Float[np.ndarray, " p"]) -> float:
    if estimated.shape != true.shape:
        raise ValueError(f"answers must have shape {true.shape}; got {estimated.shape}.")
    if not np.isfinite(estimated).all():
        raise ValueError(f"answers must be finite; {np.sum(~np.isfinite(estimated))} are not.")
    return float(np.mean((estimated - true) ** 2 / unit))
