"""A fitted model as plain data that a page can carry, and the arithmetic of that page in NumPy.

Only models in closed form can be carried: maps by moments, and linear or leaky mixings with linear
mechanisms. `static/move_rows.js` computes the same as `moved` here.
"""

from typing import Any

import numpy as np
from flowjax.bijections import AbstractBijection, Chain
from jaxtyping import Float

from elsewhere.bijections import LeakyReLU, as_affine
from elsewhere.estimators import DomainCounterfactual, Link
from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.turns import exponential
from elsewhere.model import ILD
from elsewhere.movers import Mover
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import plain
from elsewhere.trust.moves import values_of

FORMAT, ENOUGH = 1, 1e-6  # of a column's deviation: how well a page must agree with Python
MOST_NUMBERS = 400_000  # of a model; a larger one would make a page of several megabytes
Rows = Float[np.ndarray, "n m"]
Plain = dict[str, Any]


def portable(case: Case) -> Plain | None:
    """The model, if a page can carry it and it then answers as the estimator does; else None."""
    estimator = case.estimator
    space = estimator.space_
    apart = any(link.zeros for link in space.links)
    if estimator.covariates_ is not None or estimator.crossing_ is not None or apart:
        return None
    if space.levels or space.columns.sums:
        return None
    models = [_model(model) for model in estimator.result_.preferred]
    if not all(models) or not all(isinstance(a, Link) for a in estimator.space_.links):
        return None
    made = {
        "format": FORMAT,
        "domain_column": None if estimator.domain_name_ is None else str(estimator.domain_name_),
        "domains": [str(d) for d in estimator.domains_],
        "columns": [_column(str(name), link) for name, link in estimator.links_.items()],
        "models": models,
    }
    small = sum(np.size(a) for model in models for a in _arrays(model)) <= MOST_NUMBERS
    return plain(made) if small and _agrees(case, made) else None


def moved(made: Plain, y: Rows, i: int, j: int) -> Rows:
    """y_{d→d'} in link space, by the numbers that a page carries."""
    return np.mean([_moved_by(model, y, i, j) for model in made["models"]], axis=0)


def _moved_by(model: Plain, y: Rows, i: int, j: int) -> Rows:
    if model["kind"] == "affine":
        u = _turned(model, (y - model["centre"]) / model["stretch"][i] - model["offsets"][i], i, -1)
        u = u if model["carried"] == 1 else _known(model, u)
        return model["centre"] + model["stretch"][j] * (
            _turned(model, u, j, 1) + model["offsets"][j]
        )
    for layer in reversed(model["mixing"]):
        y = _back(layer, y)
    z = _forth(model["scms"][j], _back(model["scms"][i], y))
    for layer in model["mixing"]:
        z = _forth(layer, z)
    return z


def _turned(model: Plain, u: Rows, i: int, sign: int) -> Rows:
    turn = model["forth" if sign > 0 else "back"][i]
    coded = u @ model["codes"]
    return u + (coded @ turn - coded) @ np.transpose(model["codes"])


def _known(model: Plain, u: Rows) -> Rows:
    told = (u @ model["codes"] * model["reliability"]) @ np.transpose(model["codes"])
    return model["carried"] * u + (1 - model["carried"]) * told


def _forth(layer: Plain, x: Rows) -> Rows:
    if "slope" in layer:
        return np.where(x < 0, layer["slope"] * x, x)
    return x @ np.transpose(layer["matrix"]) + layer["offset"]


def _back(layer: Plain, x: Rows) -> Rows:
    if "slope" in layer:
        return np.where(x < 0, x / layer["slope"], x)
    return (x - layer["offset"]) @ np.transpose(layer["inverse"])


def _model(model: Mover) -> Plain | None:
    if isinstance(model, AffineMap):
        return _of_map(model)
    return _of_ild(model) if isinstance(model, ILD) else None


def _of_map(model: AffineMap) -> Plain:
    turned = {sign: [exponential(sign * G) for G in model.turns.means] for sign in (1, -1)}
    return {
        "kind": "affine",
        "centre": model.centre,
        "stretch": np.stack([model.stretch(d) for d in model.domains]),
        "offsets": model.offsets.means,
        "codes": model.codes,
        "forth": np.stack(turned[1]),
        "back": np.stack(turned[-1]),
        "carried": model.carried,
        "reliability": model.reliability,
    }


def _of_ild(model: ILD) -> Plain | None:
    layers = [_layer(part) for part in _parts(model.mixing)]
    scms = [_layer(scm) for scm in model.scms]
    if any(layer is None for layer in layers) or any(f is None or "slope" in f for f in scms):
        return None
    return {"kind": "layers", "mixing": layers, "scms": scms}


def _parts(mixing: AbstractBijection) -> list[AbstractBijection]:
    if isinstance(mixing, Chain):
        return [inner for part in mixing.bijections for inner in _parts(part)]  # type: ignore[arg-type]
    return [mixing]


def _layer(part: AbstractBijection) -> Plain | None:
    if isinstance(part, LeakyReLU):
        return {"slope": part.slope}
    affine = as_affine(part)
    if affine is None:
        return None
    matrix, offset = (np.asarray(a, float) for a in affine)
    return {"matrix": matrix, "inverse": np.linalg.inv(matrix), "offset": offset}


def _column(name: str, link: Link) -> Plain:
    least, most = link._range(np.dtype(float))
    shape = {"name": name, "shape": link.shape, "low": link.low, "high": link.high}
    scale = {"pad": link.pad, "bend": link.bend, "centre": link.centre, "unit": link.unit}
    counted = {n: getattr(link, n) for n in ("too_low", "lowest", "highest", "too_high")}
    return shape | scale | counted | {"whole": link.whole, "least": least, "most": most}


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [a for item in value.values() for a in _arrays(item)]
    if isinstance(value, list):
        return [a for item in value for a in _arrays(item)]
    return [value]


def _agrees(case: Case, made: Plain) -> bool:
    """Whether the numbers give the estimator's own answers, whatever else it may do to a row."""
    estimator: DomainCounterfactual = case.estimator
    places = {d: i for i, d in enumerate(estimator.domains_)}
    for d, e in case.pairs[:6]:
        X = case.given[d]
        x = values_of(case, X)
        y = np.stack([a.forward(c) for a, c in zip(estimator.space_.links, x.T, strict=True)], 1)
        answer = moved(made, y, places[d], places[e])
        ours = np.stack(
            [a.inverse(c) for a, c in zip(estimator.space_.links, answer.T, strict=True)], 1
        )
        theirs = values_of(case, estimator.counterfactual(X, source=d, target=e))
        unit = theirs.std(axis=0) + np.abs(theirs).mean(axis=0)
        if not (np.abs(ours - theirs) <= ENOUGH * unit + _rounding(estimator)).all():
            return False
    return True


def _rounding(estimator: DomainCounterfactual) -> np.ndarray:
    """A whole number may be rounded the other way where the answer lies between two."""
    return np.array([1.0 if link.whole else 0.0 for link in estimator.space_.links])
