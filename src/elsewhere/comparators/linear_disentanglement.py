"""Linear causal disentanglement: latents from differences of precision matrices."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, final

import numpy as np

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


@final
@dataclass(frozen=True)
class LinearDisentanglement(Comparator):
    """Θ_k − Θ_0 = λ² h_i h_iᵀ − v vᵀ, v in the span of h_i and its parents' rows of H; z = H x.

    The first domain has no intervention, every other one cuts one latent off its causes. Beyond the
    rows of its causes, a difference has rank one. Of all orders the likeliest is taken, where the
    authors go by the ranks alone.
    """

    source: ClassVar[str] = (
        "C. Squires, A. Seigal, S. Bhate, C. Uhler: Linear causal disentanglement via "
        "interventions. ICML 2023."
    )

    def _require(self, num_domains: int, m: int) -> None:
        require_atomic(num_domains, m)

    def _learn(self, samples: Samples) -> DomainMap:
        return _found(samples)[1]

    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        return atomic_assumptions(_found(samples)[0], "mixing and mechanisms are linear")


def _found(samples: Samples) -> tuple[Latents, AutoregressiveMap]:
    root = whitening_root(samples[0])
    precisions = [np.linalg.inv(root @ np.cov(x.T) @ root.T) for x in samples]
    changes = np.stack([precision - precisions[0] for precision in precisions[1:]])
    fit = partial(atomic_map, degree=1, base="normal")
    return likeliest_latents(changes, samples, root, fit)
