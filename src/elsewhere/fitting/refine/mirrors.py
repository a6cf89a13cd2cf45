"""Equally likely models whose noises are mirrored in some domains."""

import itertools
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import cast

import equinox as eqx
import numpy as np

from elsewhere.fitting.engine import Candidate, FitError, FitResult, Mover
from elsewhere.fitting.kinds import SHARED
from elsewhere.fitting.refine.read_back import ild_of, kinds_of_mechanisms, linear_mechanisms
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM

MOST = 15  # ways to mirror noises: all there are up to four that change
Place = tuple[int, int]  # a domain and one of its mechanisms


def with_mirrors(result: FitResult, *, most: int = 16) -> FitResult:
    """Also f_d∘diag(±1) of every candidate: the sign of a changed noise shows in no rows.

    Fits give a noise one sign in all domains, so that what is high here is high there; answers,
    consensus and intervals rest on that, the spread does not. Here come the others as models, at
    most `most` for each candidate and those with fewest mirrored noises first, behind all that keep
    their signs.

    Args:
        result: of a fit with linear mechanisms (engines "linear", "leaky" and "flow").
        most: mirrored models for each candidate.
    """
    mirrored = [m for c in result.candidates for m in itertools.islice(_mirrors(c), most)]
    return replace(result, candidates=(*result.candidates, *mirrored))


def mirrored_towards(model: Mover, d_prime: Hashable, *, most: int = MOST) -> list[ILD]:
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
    return [_mirrored(model, tuple((d, j) for j in flipped)) for flipped in flips]


def changed_mechanisms(model: Mover) -> list[int]:
    """The linear mechanisms that differ between domains; none of a model that has others."""
    mechanisms = linear_mechanisms(model) if isinstance(model, ILD) else None
    if mechanisms is None:
        return []
    return np.flatnonzero(kinds_of_mechanisms(mechanisms) != SHARED).tolist()


def _mirrors(candidate: Candidate) -> Iterator[Candidate]:
    model = ild_of(candidate.model)
    if linear_mechanisms(model) is None:
        raise FitError("mirrored models need linear mechanisms in every domain.")
    changed = changed_mechanisms(model)
    places = list(itertools.product(range(1, model.num_domains), changed))
    behind = float(np.nextafter(candidate.preference, -np.inf))
    for count in range(1, len(places) + 1):
        for flipped in itertools.combinations(places, count):
            words = ", ".join(f"{j} in {model.domains[d]!r}" for d, j in flipped)
            yield replace(
                candidate,
                model=_mirrored(model, flipped),
                preference=behind,
                description=f"{candidate.description}; mirrored: noise {words}",
            )


def _mirrored(model: ILD, flipped: tuple[Place, ...]) -> ILD:
    scms = [cast(LinearSCM, f) for f in model.scms]
    for d, j in flipped:
        scms[d] = eqx.tree_at(lambda f: f.scale, scms[d], scms[d].scale.at[j].multiply(-1))
    return ILD(model.mixing, scms, model.domains)
