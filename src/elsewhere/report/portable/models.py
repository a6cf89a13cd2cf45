"""Fitted models as plain data: maps by moments, and layers that are affine, leaky or curved.

`static/models.js` moves rows by these numbers.
"""

from typing import Any

import numpy as np
from flowjax.bijections import AbstractBijection, Chain

from elsewhere.bijections import LeakyReLU, as_affine
from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.corrected import CorrectedMap, Correction
from elsewhere.fitting.moments.turns import exponential
from elsewhere.model import ILD
from elsewhere.movers import Mover
from elsewhere.scm.additive import KNOTS, STEEPNESS, AdditiveSCM

Plain = dict[str, Any]


def plain_model(model: Mover) -> Plain | None:
    """The model's numbers; None where it has no closed form that a page can compute."""
    match model:
        case AffineMap():
            return _of_map(model, ())
        case CorrectedMap(base, corrections):
            return _of_map(base, corrections)
        case ILD():
            return _of_ild(model)
    return None


def _of_map(model: AffineMap, corrections: tuple[Correction, ...]) -> Plain:
    turned = {sign: [exponential(sign * G) for G in model.turns.means] for sign in (1, -1)}
    return {
        "kind": "affine",
        "alike": model.alike,
        "centre": model.centre,
        "stretch": np.stack([model.stretch(d) for d in model.domains]),
        "offsets": model.offsets.means,
        "codes": model.codes,
        "forth": np.stack(turned[1]),
        "back": np.stack(turned[-1]),
        "carried": model.carried,
        "reliability": model.reliability,
        "corrections": list(corrections),
    }


def _of_ild(model: ILD) -> Plain | None:
    mixing = [_layer(part) for part in _parts(model.mixing)]
    scms = [_layer(scm) for scm in model.scms]
    if any(layer is None for layer in (*mixing, *scms)):
        return None
    return {"kind": "layers", "mixing": mixing, "scms": scms}


def _parts(mixing: AbstractBijection) -> list[AbstractBijection]:
    if isinstance(mixing, Chain):
        return [inner for part in mixing.bijections for inner in _parts(part)]  # type: ignore[arg-type]
    return [mixing]


def _layer(part: AbstractBijection) -> Plain | None:
    if isinstance(part, LeakyReLU):
        return {"slope": part.slope}
    if isinstance(part, AdditiveSCM):
        numbers = {n: np.asarray(getattr(part, n), float) for n in ("weights", "scale", "bias")}
        return {**numbers, "knots": KNOTS, "steepness": STEEPNESS}
    affine = as_affine(part)
    if affine is None:
        return None
    matrix, offset = (np.asarray(a, float) for a in affine)
    return {"matrix": matrix, "inverse": np.linalg.inv(matrix), "offset": offset}
