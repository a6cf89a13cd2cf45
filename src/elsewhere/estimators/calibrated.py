"""How far answers may be off, as pairs that the fit has not seen tell."""

from collections.abc import Hashable, Sequence

import numpy as np

from elsewhere.estimators import in_blocks
from elsewhere.estimators.completed import Completed
from elsewhere.estimators.link_space import Rows
from elsewhere.fitting import FitResult, Pairs


def preferred_answer(result: FitResult, y: Rows, d: Hashable, d_prime: Hashable) -> Rows:
    """The mean over all models that the principle ties, in link space."""
    return np.mean([in_blocks.move(model, y, d, d_prime) for model in result.preferred], axis=0)


def half_widths(result: FitResult, pairs: Sequence[Pairs], asked: Completed, level: float) -> Rows:
    """The ⌈(p + 1)·level⌉-th smallest error among p pairs, by column: split conformal."""
    from elsewhere.evaluation.conformal import calibrate

    def half(rows: Rows, *, d: Hashable, d_prime: Hashable) -> Rows:
        if d == d_prime:
            return np.zeros_like(rows)
        before, after = _between(pairs, d, d_prime)
        found = calibrate(preferred_answer(result, before, d, d_prime), after, level=level)
        return np.tile(found.radius, (len(rows), 1))

    return in_blocks.by_pair(half, asked.whole, asked.d, asked.d_prime, result.model.domains)


def _between(pairs: Sequence[Pairs], d: Hashable, d_prime: Hashable) -> tuple[Rows, Rows]:
    """(x_d, x_d') of all pairs of the two domains, in whichever direction they were given."""
    there = [(p.x_source, p.x_target) for p in pairs if (p.source, p.target) == (d, d_prime)]
    back = [(p.x_target, p.x_source) for p in pairs if (p.source, p.target) == (d_prime, d)]
    if not there + back:
        raise ValueError(
            f"pairs must hold rows seen in {d!r} and in {d_prime!r} to calibrate answers between "
            "them; got none. Leave pairs out, or ask about other domains."
        )
    before, after = zip(*there, *back, strict=True)
    return np.concatenate(before), np.concatenate(after)
