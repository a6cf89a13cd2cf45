"""Whether the noise that a model finds in the rows is the same in all domains."""

from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.split import Named
from elsewhere.model import ILD
from elsewhere.movers import Density

MOST_ROWS = 5_000  # of a domain that are looked at
Noise = Float[np.ndarray, "_ q"]


def noise_differs(model: Density, tables: Named) -> float:
    """How far distributions of ε differ between domains, over what chance brings; less 1.

    ε has one distribution in all domains if the model is right, whatever that distribution is: 0 is
    then expected. Distributions are compared along every axis and every diagonal of two axes, of ε
    and of its squares there, by ∫ (F_d − F_e)² (Cramér–von Mises).
    """
    noise = [_noise(model, x[:MOST_ROWS], d) for d, x in tables.items()]
    along = [eps @ diagonals(eps.shape[1]) for eps in noise]
    return float(np.mean([_excess(along), _excess([a**2 for a in along])]))


def diagonals(m: int) -> Float[np.ndarray, "m q"]:
    """e_i, (e_i + e_j)/√2 and (e_i − e_j)/√2."""
    axes = np.eye(m)
    pairs = [axes[i] + sign * axes[j] for i, j in combinations(range(m), 2) for sign in (1, -1)]
    return np.concatenate([axes, np.reshape(pairs, (-1, m)) / np.sqrt(2)]).T


def _noise(model: Density, x: Noise, d: Hashable) -> Noise:
    plain = model.plain_noise(d=d) if isinstance(model, ILD) else None
    return np.asarray(model.noise(x, d=d)) if plain is None else plain(x)


def _excess(groups: Sequence[Noise]) -> float:
    """∫ (F_d − F_e)² over its expectation where F_d = F_e, (1/n_d + 1/n_e)/6; less 1."""
    counts = [len(group) for group in groups]
    labels = np.repeat(np.arange(len(groups)), counts)
    ranked = labels[np.argsort(np.concatenate(groups), axis=0)]
    F = [np.cumsum(ranked == d, axis=0) / n for d, n in enumerate(counts)]
    found = [
        ((F[d] - F[e]) ** 2).mean() * 6 / (1 / counts[d] + 1 / counts[e])
        for d, e in combinations(range(len(groups)), 2)
    ]
    return float(np.mean(found)) - 1
