"""Equally likely models whose noises are mirrored in some domains."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import equinox as eqx
import numpy as np

from elsewhere.fitting.engine import Candidate, FitError, FitResult
from elsewhere.fitting.kinds import SHARED
from elsewhere.fitting.refine.read_back import ild_of, kinds_of_mechanisms, linear_mechanisms
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM

Place = tuple[int, int]  # a domain and one of its mechanisms


def with_mirrors(result: FitResult, *, most: int = 16) -> FitResult:
    """Also f_d∘diag(±1) of every candidate: the sign of a changed noise shows in no rows.

    Fits give a noise one sign in all domains, so that what is high here is high there; candidates,
    spread and consensus rest on that. Here come the others, at most `most` for each candidate and
    those with fewest mirrored noises first, behind all that keep their signs.

    Args:
        result: of a fit with linear mechanisms (engines "linear", "leaky" and "flow").
        most: mirrored models for each candidate.
    """
    mirrored = [m for c in result.candidates for m in itertools.islice(_mirrors(c), most)]
    return replace(result, candidates=(*result.candidates, *mirrored))


def _mirrors(candidate: Candidate) -> Iterator[Candidate]:
    model = ild_of(candidate.model)
    mechanisms = linear_mechanisms(model)
    if mechanisms is None:
        raise FitError("mirrored models need linear mechanisms in every domain.")
    changed = np.flatnonzero(kinds_of_mechanisms(mechanisms) != SHARED).tolist()
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
