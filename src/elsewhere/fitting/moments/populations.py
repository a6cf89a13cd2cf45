"""Effects along directions, shrunken under every population that may have brought them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.shrinkage import MOST, log_gain

STEP = 0.46  # between the logarithms of neighbouring sizes ψ
LEAST_VARIANCE = 0.1  # the smallest ψ in sampling variances: less cannot be told from none
WIDTHS = (0.3, 1.0, 2.0)  # deviations of log ψ within a population
UNCHANGED = (0.02, 0.2, 0.5)  # shares of a population that do not differ
GROWTHS = (0.0, 0.5, 1.0)  # γ: effects of one size in units of columns, or of each direction
SMALLEST = 1e-300  # likelihood of a direction under a population, over its largest
NEGLIGIBLE = 1e-9  # the share of a population that is not looked at
Effects = Float[np.ndarray, "a r"]
Units = Float[np.ndarray, " r"]
Likelihoods = Float[np.ndarray, "r K1"]


@dataclass(frozen=True)
class Shrunken:
    """What is known of effects β along directions, given estimates b of them.

    Attributes:
        means: E[β | b].
        variances: Var[β | b].
        precisions: E[1/(ψ_j λ_j^γ + v_j) | b], how firmly each b is tied to its prior mean.
        evidence: log p(b), but for a constant that depends on the errors alone.
    """

    means: Effects
    variances: Effects
    precisions: Effects
    evidence: float


def shrink_along(
    observed: Effects,
    errors: Effects,
    variances: Units,
    most: float = MOST,
    *,
    one_size: bool = False,
) -> Shrunken:
    """β given b, b_j ~ N(β_j, v_j), β_j ~ π₀δ₀ + (1 − π₀) N(0, ψ_j λ_j^γ).

    log ψ_j is normal about one centre. Domains may differ by as much in every direction (γ = 0:
    another lamp) or by as much of what samples vary by (γ = 1: another baseline); γ, π₀, the
    centre and the width of log ψ are averaged over, each weighted by the evidence for it.

    Args:
        observed: b, the contrasts of the domains along every direction.
        errors: v, their sampling variances.
        variances: λ, of the samples along every direction.
        most: the largest ψ that is considered.
        one_size: whether ψ is much the same in all directions and hardly any is unchanged, as is
            best where few rows tell nothing of how sizes are spread.
    """
    if not len(variances):
        return Shrunken(observed, errors, errors, 0.0)
    units = [variances**growth for growth in GROWTHS]
    sizes = [_sizes(errors, unit, most) for unit in units]
    found = [_likelihoods(observed, errors, *each) for each in zip(units, sizes, strict=True)]
    logs = [_evidence(each, one_size).sum(axis=0) + top for each, top in found]
    shares, total = _shares(logs)
    first, second, tied = (np.zeros_like(observed) for _ in range(3))
    for unit, size, (each, _), share in zip(units, sizes, found, shares, strict=True):
        parts = _moments(observed, errors, unit, size, _weights(each, share, one_size))
        first, second, tied = first + parts[0], second + parts[1], tied + parts[2]
    none = -0.5 * float((observed**2 / errors).sum())
    return Shrunken(first, np.maximum(second - first**2, 0.0), 1 / errors - tied, none + total)


def _sizes(errors: Effects, unit: Units, most: float) -> Float[np.ndarray, " K"]:
    """The sizes ψ that are considered."""
    least = LEAST_VARIANCE * min(float((errors / unit).min()), most)
    return least * np.exp(STEP * np.arange(np.ceil(np.log(most / least) / STEP)))


def _likelihoods(
    b: Effects, v: Effects, unit: Units, sizes: Float[np.ndarray, " K"]
) -> tuple[Likelihoods, float]:
    """p(b_j | ψ_j) of no effect and of every size, over the largest; the log of what is left out.

    That log is counted from the likelihood of no effect at all, which every γ shares.
    """
    gains = log_gain(b, v, np.multiply.outer(sizes, unit)[:, None]).sum(axis=1)
    logs = np.concatenate([np.zeros_like(unit)[:, None], gains.T], axis=1)
    largest = logs.max(axis=1, keepdims=True)
    return np.exp(logs - largest), float(largest.sum())


def _evidence(likelihoods: Likelihoods, one_size: bool) -> Float[np.ndarray, "r h"]:
    """log Σ_ψ p(b_j | ψ) p(ψ | population), for every direction and population."""
    held = populations(likelihoods.shape[1] - 1, one_size)
    return np.log(np.maximum(likelihoods @ held.T, SMALLEST))


def _shares(
    evidence: list[Float[np.ndarray, " _"]],
) -> tuple[list[Float[np.ndarray, " _"]], float]:
    """P(γ, population | b), each γ as likely as another before the data are seen; log p(b)."""
    top = max(float(each.max()) for each in evidence)
    likely = [np.exp(each - top) / len(each) for each in evidence]
    total = sum(float(each.sum()) for each in likely)
    return [each / total for each in likely], top + float(np.log(total / len(evidence)))


def _weights(
    likelihoods: Likelihoods, shares: Float[np.ndarray, " h"], one_size: bool
) -> Float[np.ndarray, "r K"]:
    """P(γ, ψ_j | b), summed over the populations with these shares."""
    known = shares > NEGLIGIBLE
    held = populations(likelihoods.shape[1] - 1, one_size)[known]
    of_each = np.maximum(likelihoods @ held.T, SMALLEST)
    return (likelihoods * (shares[known] / of_each @ held))[:, 1:]


def _moments(
    b: Effects,
    v: Effects,
    unit: Units,
    sizes: Float[np.ndarray, " K"],
    weights: Float[np.ndarray, "r K"],
) -> tuple[Effects, Effects, Effects]:
    """Σ_ψ w_ψ f b, Σ_ψ w_ψ (f v + f² b²) and Σ_ψ w_ψ f/v, f = ψ/(ψ + v)."""
    effects = np.multiply.outer(sizes, unit)[:, None]
    factors, shares = effects / (effects + v), weights.T[:, None]
    first, second = ((shares * factors**power).sum(axis=0) for power in (1, 2))
    return first * b, first * v + second * b**2, first / v


@lru_cache(maxsize=64)
def populations(count: int, one_size: bool = False) -> Float[np.ndarray, "h K1"]:
    """The share of no effect and of each of so many sizes, in every population."""
    logs, found, first = STEP * np.arange(count), [], 1 if one_size else None
    for width in WIDTHS[:first]:
        for centre in logs[::2]:
            sizes = np.exp(-0.5 * ((logs - centre) / width) ** 2)
            shares = UNCHANGED[:first]
            found += [np.r_[none, (1 - none) * sizes / sizes.sum()] for none in shares]
    return np.array(found)
