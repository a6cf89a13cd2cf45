"""Empirical Bayes: effects shrunken towards no difference, block by block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

SINGLES, GROWTH = 4, 1.6  # the first blocks hold one direction each, later ones ever more
SIZES = 36  # of effects that are considered
LEAST, MOST = 1e-4, 1e3  # the variances of effects that are considered, unless said otherwise
UNCHANGED = 0.2  # blocks that do not differ, counted before the data are seen, to 1 that does
Values = Float[np.ndarray, "..."]
Sizes = Float[np.ndarray, " K"]


@dataclass(frozen=True)
class ShrunkenBlocks:
    """The posterior means and variances of effects, block by block."""

    means: list[Values]
    variances: list[Values]


def blocks(count: int) -> list[slice]:
    """0, 1, 2, 3, then ever longer blocks: directions of like variance are judged together."""
    ends, width = list(range(1, min(SINGLES, count) + 1)), 2.0
    while count and ends[-1] < count:
        ends.append(min(count, ends[-1] + round(width)))
        width *= GROWTH
    return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False)]


def shrink(
    observed: Sequence[Values],
    errors: Sequence[Values],
    *,
    least: float = LEAST,
    most: float = MOST,
) -> ShrunkenBlocks:
    """β_b ~ π₀ δ₀ + Σ_k π_k N(0, ψ_k), observed ~ N(β, errors): the posterior of every β.

    All effects of one block share one ψ. The shares π are fitted to all blocks by expectation and
    maximisation (Stephens, 2017).

    Args:
        observed: the effects as estimated, one array per block.
        errors: their sampling variances, of the same shapes.
        least: the smallest variance ψ of effects that is considered.
        most: the largest.
    """
    sizes = np.geomspace(least, most, SIZES)
    gains = [_log_gains(b, v, sizes) for b, v in zip(observed, errors, strict=True)]
    weights = _weights(np.reshape(gains, (-1, SIZES)))
    parts = [_posterior(b, v, w, sizes) for b, v, w in zip(observed, errors, weights, strict=True)]
    return ShrunkenBlocks([mean for mean, _ in parts], [variance for _, variance in parts])


def shrink_columns(
    observed: Float[np.ndarray, "a p"], errors: Float[np.ndarray, "a p"], most: float = MOST
) -> tuple[Float[np.ndarray, "a p"], Float[np.ndarray, "a p"]]:
    """`shrink` with every column a block: (means, variances)."""
    sizes = np.geomspace(LEAST, most, SIZES)
    gains = np.stack([log_gain(observed, errors, size).sum(axis=0) for size in sizes], axis=1)
    weights = _weights(gains)
    first, second = np.zeros_like(observed), np.zeros_like(observed)
    for size, w in zip(sizes, weights.T, strict=True):
        factor = size / (size + errors)
        first += w * factor
        second += w * factor**2
    return first * observed, first * errors + (second - first**2) * observed**2


def log_gain(b: Values, v: Values, size: Values | np.floating) -> Values:
    """log N(b; 0, ψ + v) − log N(b; 0, v)."""
    ratio = size / v
    return 0.5 * (b**2 / v * ratio / (1 + ratio) - np.log1p(ratio))


def _log_gains(b: Values, v: Values, sizes: Sizes) -> Sizes:
    """Of a whole block, for every ψ."""
    return log_gain(b.ravel(), v.ravel(), sizes[:, None]).sum(axis=1)


def _weights(gains: Float[np.ndarray, "B K"]) -> Float[np.ndarray, "B K"]:
    """The probability of every ψ for every block; what is missing to 1 is that of no difference."""
    before = np.r_[UNCHANGED, np.full(SIZES, 1 / SIZES)]
    logs = np.c_[np.zeros(len(gains)), gains]
    likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares = before / before.sum()
    for _ in range(500):
        counted = shares * ((1 / (likelihoods @ shares)) @ likelihoods)
        updated = (counted + before) / (len(gains) + before.sum())
        settled = np.abs(updated - shares).max() < 1e-6
        shares = updated
        if settled:
            break
    return (likelihoods * (shares / (likelihoods @ shares)[:, None]))[:, 1:]


def _posterior(b: Values, v: Values, weights: Sizes, sizes: Sizes) -> tuple[Values, Values]:
    """Mean and variance of Σ_k w_k N(f_k b, f_k v), f_k = ψ_k/(ψ_k + v), and 0 with the rest."""
    column = sizes.reshape(-1, *[1] * b.ndim)
    factors = column / (column + v)
    first = np.tensordot(weights, factors, axes=1)
    second = np.tensordot(weights, factors**2, axes=1)
    return first * b, first * v + (second - first**2) * b**2
