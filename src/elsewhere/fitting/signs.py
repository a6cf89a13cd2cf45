"""Models whose changed noises have other signs in a domain, as likely by any unpaired row."""

import itertools
from collections.abc import Hashable
from typing import cast

import equinox as eqx
import numpy as np

from elsewhere.fitting.kinds import SHARED
from elsewhere.fitting.mechanisms import kinds_of_mechanisms
from elsewhere.fitting.read_back import ild_of, linear_mechanisms
from elsewhere.model import ILD
from elsewhere.movers import Mover
from elsewhere.scm import LinearSCM

MOST_MIRRORED = 15  # ways to mirror noises: all there are up to four that change
Place = tuple[int, int]  # a domain and one of its mechanisms


def mirrored_towards(model: Mover, d_prime: Hashable, *, most: int = MOST_MIRRORED) -> list[ILD]:
    """f_d'∘diag(±1) in every way, the other domains as they are: all that x_{d→d'} may be.

    An answer depends on the signs of two domains only as far as they differ, so that these stand
    for all models with mirrored noises, whatever d is. Fewest mirrored noises first, at most
    `most`, and the one with all of them; none where no mechanism changes or some is not linear.
    """
    changed = changed_mechanisms(model)
    if not changed:
        return []
    model, d = ild_of(model), model.domains.index(d_prime)
    counts = range(1, len(changed))
    some = (c for count in counts for c in itertools.combinations(changed, count))
    flips = [*itertools.islice(some, most - 1), tuple(changed)]
    return [mirrored(model, tuple((d, j) for j in flipped)) for flipped in flips]


def changed_mechanisms(model: Mover) -> list[int]:
    """The linear mechanisms that differ between domains; none of a model that has others."""
    mechanisms = linear_mechanisms(model) if isinstance(model, ILD) else None
    if mechanisms is None:
        return []
    return np.flatnonzero(kinds_of_mechanisms(mechanisms) != SHARED).tolist()


def mirrored(model: ILD, flipped: tuple[Place, ...]) -> ILD:
    """The model with the noise of each of these mechanisms mirrored in its domain."""
    scms = [cast(LinearSCM, f) for f in model.scms]
    for d, j in flipped:
        scms[d] = eqx.tree_at(lambda f: f.scale, scms[d], scms[d].scale.at[j].multiply(-1))
    return ILD(model.mixing, scms, model.domains)
