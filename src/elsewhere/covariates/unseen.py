"""Covariates in a combination of crossed domains that was never seen."""

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from elsewhere.covariates.model import Covariates


def covariates_of_combination(kept: Covariates, weights: Float[np.ndarray, " D"]) -> Covariates:
    """One more domain, in which covariates do what its parts add up to.

    Args:
        kept: what covariates do in the domains that were seen.
        weights: w with β_new = Σ_d w_d β_d.
    """
    old = kept.effects

    def added(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, np.tensordot(weights, values, axes=1)[None]])

    def averaged(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, values.mean(axis=0, keepdims=True)])

    effects = replace(
        old,
        gains=np.exp(added(np.log(old.gains))),
        own=added(old.own),
        **{n: averaged(getattr(old, n)) for n in ("gain_variances", "own_variances", "noise")},
    )
    return replace(
        kept,
        effects=effects,
        stretch=np.exp(added(np.log(kept.stretch))),
        centres=added(kept.centres),
        z_means=averaged(kept.z_means),
        rest_means=added(kept.rest_means),
        seen=(*kept.seen, _of_all(kept.seen)),
    )


def _of_all(seen: tuple[tuple[tuple, ...], ...]) -> tuple[tuple, ...]:
    """What all domains together have shown of every covariate."""
    found = []
    for values in zip(*seen, strict=True):
        every = list(dict.fromkeys(v for one in values for v in one))
        numbers = all(isinstance(v, float) for v in every)
        found.append((min(every), max(every)) if numbers else tuple(every))
    return tuple(found)
