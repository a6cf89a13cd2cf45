"""Equally likely models whose noises are mirrored in some domains."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from elsewhere.fitting.read_back import ild_of, linear_mechanisms
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.signs import changed_mechanisms, mirrored
from elsewhere.fitting.split import FitError


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
    others = [m for c in result.candidates for m in itertools.islice(_mirrors(c), most)]
    return replace(result, candidates=(*result.candidates, *others))


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
                model=mirrored(model, flipped),
                preference=behind,
                description=f"{candidate.description}; mirrored: noise {words}",
            )
