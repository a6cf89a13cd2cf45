"""One effect that all columns have in common, such as an offset of the whole instrument."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.populations import Shrunken, shrink_along

USUAL = 0.5  # deviations of a column: half of the common effects are smaller, half larger
ROUNDS = 10
SETTLED = 1e-4  # of the effect's size: the change between rounds at which it is taken
Effects = Float[np.ndarray, "a r"]
Units = Float[np.ndarray, " r"]
Sizes = Float[np.ndarray, " a"]


@dataclass(frozen=True)
class Common:
    """β = c w + e: an effect of a known pattern w, and others of no order.

    Attributes:
        size: c, of each contrast.
        variance: of c.
        others: e.
        felt: dβ/dc along the directions, what of w is not made up for by e.
        evidence: log p(b), with the same constant left out as in that of the others.
    """

    size: Sizes
    variance: Sizes
    others: Shrunken
    felt: Effects
    evidence: float


def along_pattern(
    observed: Effects,
    errors: Effects,
    variances: Units,
    pattern: Units,
    most: float,
    *,
    one_size: bool = False,
) -> Common:
    """c from b = c w + e + error, e as in `shrink_along`, by the likelier of two starts.

    An instrument that adds the same to every column moves all directions at once. Those in which
    samples hardly vary tell by how much, and so what it does to those in which they vary most,
    of which few rows tell little.

    Args:
        observed: b, contrasts along the directions.
        errors: their sampling variances.
        variances: of the samples along the directions.
        pattern: w along the directions, of mean square 1 over the columns.
        most: the largest variance of other effects that is considered.
        one_size: of other effects, as in `shrink_along`.
    """
    starts = (np.ones_like(errors), 1 / errors)
    others = partial(shrink_along, errors=errors, variances=variances, most=most, one_size=one_size)
    found = [_settled(observed, errors, pattern, others, start) for start in starts]
    return max(found, key=lambda one: one.evidence)


def share_of(common: Common, without: Shrunken) -> float:
    """The probability of a common effect, as likely as none before the data are seen."""
    return float(1 / (1 + np.exp(np.clip(without.evidence - common.evidence, -700, 700))))


def _settled(
    b: Effects, v: Effects, w: Units, shrunken: Callable[[Effects], Shrunken], precisions: Effects
) -> Common:
    """c and the precisions of b about c w in turn, each given the other."""
    size = _regressed(b, w, precisions)
    others = shrunken(b - size[:, None] * w)
    for _ in range(ROUNDS):
        before, size = size, _regressed(b, w, others.precisions)
        others = shrunken(b - size[:, None] * w)
        if np.abs(size - before).max() <= SETTLED * np.abs(size).max():
            break
    precisions = others.precisions
    known = np.maximum(precisions @ w**2, 1e-300)
    return Common(
        size, 1 / known, others, v * precisions * w, others.evidence + _log_prior(size, known)
    )


def _regressed(b: Effects, w: Units, precisions: Effects) -> Sizes:
    return (precisions * b) @ w / np.maximum(precisions @ w**2, 1e-300)


def _log_prior(size: Sizes, known: Sizes) -> float:
    """log ∫ p(c) N(c; ĉ, 1/known) dc over its largest value, p a Cauchy density of scale USUAL."""
    density = -np.log(np.pi * USUAL) - np.log1p((size / USUAL) ** 2)
    return float((density + 0.5 * np.log(2 * np.pi / known)).sum())
