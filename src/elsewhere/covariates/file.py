"""The codec of fitted covariates: columns and words as JSON, arrays apart."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from elsewhere.covariates.columns import Category, Column, Number
from elsewhere.covariates.confounding import Confounding
from elsewhere.covariates.design import Basis, Design
from elsewhere.covariates.effects import Effects
from elsewhere.covariates.model import Covariates
from elsewhere.saving import Reader, Writer, register_codec
from elsewhere.saving.labels import from_json, to_json

_EFFECTS = ("shared", "gains", "own", "gain_variances", "own_variances", "noise")
_ARRAYS = ("stretch", "spread", "centres", "z_means", "rest_means")


def _to_parts(found: Covariates, writer: Writer) -> dict[str, Any]:
    basis = found.design.basis
    return {
        "columns": [_column(column) for column in basis.columns],
        "terms": [list(term) for term in basis.terms],
        "design": writer.keep([found.design.centre, found.design.turn]),
        "effects": writer.keep([getattr(found.effects, name) for name in _EFFECTS]),
        "arrays": writer.keep([getattr(found, name) for name in _ARRAYS]),
        "total": found.total,
        "carried": found.carried,
        "confounding": _confounding(found.confounding),
        "seen": [[[to_json(v) for v in values] for values in domain] for domain in found.seen],
        "notes": list(found.notes),
    }


def _from_parts(content: Mapping[str, Any], reader: Reader) -> Covariates:
    columns = tuple(_column_back(column) for column in content["columns"])
    basis = Basis(columns, tuple(tuple(int(i) for i in term) for term in content["terms"]))
    arrays = dict(zip(_ARRAYS, reader.taken(content["arrays"]), strict=True))
    effects: dict[str, np.ndarray] = dict(
        zip(_EFFECTS, reader.taken(content["effects"]), strict=True)
    )
    _check(basis, arrays["stretch"], effects)
    return Covariates(
        design=Design(basis, *reader.taken(content["design"])),
        effects=Effects(**effects),
        total=int(content["total"]),
        carried=float(content["carried"]),
        confounding=_confounding_back(content["confounding"]),
        seen=tuple(tuple(tuple(from_json(v) for v in c) for c in d) for d in content["seen"]),
        notes=tuple(str(note) for note in content["notes"]),
        **arrays,
    )


def _check(basis: Basis, stretch: np.ndarray, effects: Mapping[str, np.ndarray]) -> None:
    if any(not 0 <= i < len(basis.columns) for term in basis.terms for i in term):
        raise ValueError("a term of the covariates names a column that is not there.")
    if effects["gains"].shape != stretch.shape or effects["own"].shape[0] != len(stretch):
        raise ValueError("covariates' effects do not fit the domains.")


def _column(column: Column) -> dict[str, Any]:
    if isinstance(column, Category):
        return {"name": to_json(column.name), "levels": [to_json(v) for v in column.levels]}
    return asdict(column) | {"name": to_json(column.name), "knots": list(column.knots)}


def _column_back(saved: Mapping[str, Any]) -> Column:
    name = from_json(saved["name"])
    if "levels" in saved:
        return Category(name, tuple(from_json(v) for v in saved["levels"]))
    knots = tuple(float(k) for k in saved["knots"])
    return Number(name, float(saved["centre"]), float(saved["unit"]), knots)


def _confounding(found: Confounding) -> dict[str, Any]:
    shares = [[to_json(name), share] for name, share in found.by_covariate]
    return asdict(found) | {"by_covariate": shares}


def _confounding_back(saved: Mapping[str, Any]) -> Confounding:
    shares = tuple((from_json(name), float(share)) for name, share in saved["by_covariate"])
    numbers = {name: float(saved[name]) for name in ("told", "chance", "inflation")}
    return Confounding(**numbers, by_covariate=shares)


register_codec(Covariates, "Covariates", _to_parts, _from_parts)
