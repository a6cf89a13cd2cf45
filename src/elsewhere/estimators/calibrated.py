"""How far answers may be off, as pairs that the fit has not seen tell."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from elsewhere.estimators import in_blocks
from elsewhere.estimators.completed import Completed
from elsewhere.estimators.link_space import Rows
from elsewhere.fitting import Pairs

Ends = tuple[Any, Any, Any]  # rows in d, the same samples in d', their covariates
Answer = Callable[[Ends, Hashable, Hashable], tuple[Rows, Rows]]


def half_widths(
    pairs: Sequence[Pairs],
    answer: Answer,
    asked: Completed,
    level: float,
    domains: Sequence[Hashable],
) -> Rows:
    """The ⌈(p + 1)·level⌉-th smallest error among p pairs, by column: split conformal.

    Args:
        pairs: as they were given.
        answer: from rows of a pair to what the model says of them and what was seen, in link space.
        asked: the rows that intervals are wanted for.
        level: of the intervals.
        domains: of the model.
    """
    from elsewhere.evaluation.conformal import calibrate

    def half(rows: Rows, *, d: Hashable, d_prime: Hashable) -> Rows:
        if d == d_prime:
            return np.zeros_like(rows)
        found = [answer(ends, d, d_prime) for ends in _between(pairs, d, d_prime)]
        said, seen = (np.concatenate(part) for part in zip(*found, strict=True))
        return np.tile(calibrate(said, seen, level=level).radius, (len(rows), 1))

    return in_blocks.by_pair(half, asked.whole, asked.d, asked.d_prime, domains)


def _between(pairs: Sequence[Pairs], d: Hashable, d_prime: Hashable) -> list[Ends]:
    """All pairs of the two domains, in whichever direction they were given."""
    there = [
        (p.x_source, p.x_target, p.covariates)
        for p in pairs
        if (p.source, p.target) == (d, d_prime)
    ]
    back = [
        (p.x_target, p.x_source, p.covariates)
        for p in pairs
        if (p.source, p.target) == (d_prime, d)
    ]
    if not there + back:
        raise ValueError(
            f"pairs must hold rows seen in {d!r} and in {d_prime!r} to calibrate answers between "
            "them; got none. Leave pairs out, or ask about other domains."
        )
    return there + back
