"""Score-based causal representations: latents from differences of scores."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import ClassVar, final

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import expit

from elsewhere.baselines.interface import DomainMap
from elsewhere.comparators.atomic import (
    Latents,
    atomic_assumptions,
    atomic_map,
    likeliest_latents,
    require_atomic,
    whitening_root,
)
from elsewhere.comparators.autoregressive import AutoregressiveMap
from elsewhere.comparators.interface import Assumption, Comparator, Samples

STEPS, RIDGE = 50, 1.0  # of the regression; a ridge of one row


@final
@dataclass(frozen=True)
class ScoreBased(Comparator):
    """E[(s_k − s_0)(s_k − s_0)ᵀ] lies in the span of h_i and its parents' rows of H; z = H x.

    s_k − s_0 = ∇ log(p_k/p_0), the slope of a logistic regression of k against 0 on polynomials,
    where the authors know the scores or train networks. Mechanisms of the latents are polynomials
    with noise added, and the order is the likeliest.

    Args:
        degree: of log(p_k/p_0); 2 is exact for normal rows.
    """

    source: ClassVar[str] = (
        "B. Varıcı, E. Acartürk, K. Shanmugam, A. Kumar, A. Tajer: Score-based causal "
        "representation learning with interventions. 2023 (arXiv:2301.08230)."
    )

    degree: int = 4

    def _require(self, num_domains: int, m: int) -> None:
        require_atomic(num_domains, m)

    def _learn(self, samples: Samples) -> DomainMap:
        return self._found(samples)[1]

    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        return atomic_assumptions(self._found(samples)[0], "the mixing is linear")

    def _found(self, samples: Samples) -> tuple[Latents, AutoregressiveMap]:
        root = whitening_root(samples[0])
        white = [(x - samples[0].mean(0)) @ root.T for x in samples]
        changes = []
        for y in white[1:]:
            apart = score_difference(white[0], y, self.degree)
            changes.append(apart.T @ apart / len(apart))
        fit = partial(atomic_map, degree=3, base="any")
        return likeliest_latents(np.stack(changes), samples, root, fit)


def score_difference(
    y: Float[np.ndarray, "n m"], other: Float[np.ndarray, "k m"], degree: int
) -> Float[np.ndarray, "n+k m"]:
    """∇ log(p_other/p) at the rows of both: the slope of the log-odds, by Newton's steps."""
    both = np.concatenate([y, other])
    powers = exponents(y.shape[1], degree)
    features = monomials(both, powers)
    centre, unit = features.mean(0), features.std(0)
    design = np.column_stack([np.ones(len(both)), (features - centre) / unit])
    theta = log_odds(design, np.arange(len(both)) >= len(y))[1:] / unit
    slopes = [_derivative(both, powers, c) @ theta for c in range(y.shape[1])]
    return np.stack(slopes, axis=1)


def log_odds(design: Float[np.ndarray, "n a"], labels: Bool[np.ndarray, " n"]) -> np.ndarray:
    """θ that maximises Σ log σ(±θ·φ) − RIDGE ‖θ‖²/2."""
    theta = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = expit(design @ theta)
        slope = design.T @ (labels - chance) - RIDGE * theta
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(theta)), slope)
        theta += step * min(1.0, 5 / np.abs(design @ step).max())  # far steps overshoot
        if np.abs(step).max() < 1e-6:
            break
    return theta


def exponents(m: int, degree: int) -> Int[np.ndarray, "a m"]:
    """The exponents of all monomials of 1 to `degree` factors."""
    chosen = [c for d in range(1, degree + 1) for c in combinations_with_replacement(range(m), d)]
    return np.stack([np.bincount(c, minlength=m) for c in chosen])


def monomials(
    y: Float[np.ndarray, "n m"], powers: Int[np.ndarray, "a m"]
) -> Float[np.ndarray, "n a"]:
    """φ_a(y) = Π_c y_c^{p_ac}."""
    table = y[:, :, None] ** np.arange(powers.max() + 1)
    return np.prod([table[:, c, p] for c, p in enumerate(powers.T)], axis=0)


def _derivative(
    y: Float[np.ndarray, "n m"], powers: Int[np.ndarray, "a m"], column: int
) -> Float[np.ndarray, "n a"]:
    """∂φ_a/∂y_c."""
    left = powers.copy()
    left[:, column] = np.maximum(left[:, column] - 1, 0)
    return powers[:, column] * monomials(y, left)
