"""The codec of fitted covariates: columns and words as JSON, arrays apart."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from elsewhere.covariates.columns import Category, Column, Number
from elsewhere.covariates.confounding import Confounding
from elsewhere.covariates.design import Basis, Design
from elsewhere.covariates.effects import CovariateEffects
from elsewhere.covariates.model import Covariates
from elsewhere.saving import Reader, Writer, register_codec
from elsewhere.saving.labels import from_json, to_json
from elsewhere.saving.rules import (
    fields,
    label,
    listed,
    number,
    plain,
    text,
    unique,
    whole,
    wrong,
)
from elsewhere.saving.shapes import Axes, check_arrays

LEAST_GAP = 1e-9  # between two knots, in deviations

_DESIGN = {"centre": Axes("b"), "turn": Axes("b q")}
_EFFECTS = {
    "shared": Axes("q p"),
    "gains": Axes("D p"),
    "own": Axes("D q p"),
    "gain_variances": Axes("D p", 0.0),
    "own_variances": Axes("D q p", 0.0),
    "noise": Axes("D p", 0.0),
}
_ARRAYS = {
    "stretch": Axes("D p", 1e-9),
    "spread": Axes("q p"),
    "centres": Axes("D p"),
    "z_means": Axes("D q"),
    "rest_means": Axes("D p"),
}
_PLACES = listed(whole(0, 10**9))
_NUMBER = fields(
    {"name": label, "centre": number(), "unit": number(1e-300), "knots": listed(number(), 0, 100)}
)
_CATEGORY = fields({"name": label, "levels": listed(label, 2)})
_CONTENT = fields(
    {
        "columns": listed(fields({"name": label}), 1),
        "terms": listed(listed(whole(0, 10**6), 1, 2), 1),
        "design": _PLACES,
        "effects": _PLACES,
        "arrays": _PLACES,
        "total": whole(1, 10**15),
        "carried": number(0.0, 1.0),
        "confounding": fields(
            {
                "told": number(0.0, 1.0),
                "chance": number(0.0, 1.0),
                "inflation": number(0.0),
                "by_covariate": listed(listed(plain, 2, 2)),
            }
        ),
        "seen": listed(listed(listed(label, 1)), 2),
        "notes": listed(text),
    }
)


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
    return Covariates(
        design=Design(basis, *reader.taken(content["design"])),
        effects=CovariateEffects(**effects),
        total=int(content["total"]),
        carried=float(content["carried"]),
        confounding=_confounding_back(content["confounding"]),
        seen=tuple(tuple(tuple(from_json(v) for v in c) for c in d) for d in content["seen"]),
        notes=tuple(str(note) for note in content["notes"]),
        **arrays,
    )


def _check(content: Any, reader: Reader) -> int:
    """The number of the table's columns, if the content makes fitted covariates."""
    _CONTENT(content, "Covariates")
    columns, terms = content["columns"], content["terms"]
    widths = [_width(column, f"columns[{i}]") for i, column in enumerate(columns)]
    if any(i >= len(columns) for term in terms for i in term):
        raise wrong("terms", f"places of the {len(columns)} covariates", terms)
    lengths = {"b": sum(math.prod(widths[i] for i in term) for term in terms)}
    lengths["D"] = len(content["seen"])
    for name, rules in (("design", _DESIGN), ("effects", _EFFECTS), ("arrays", _ARRAYS)):
        lengths = check_arrays(reader.taken_once(content[name]), rules, lengths)
    for domain in content["seen"]:
        _check_seen(domain, columns)
    return lengths["p"]


def _width(column: Mapping[str, Any], where: str) -> int:
    """How many columns of the regression a covariate makes."""
    if "levels" in column:
        _CATEGORY(column, where)
        unique([from_json(level) for level in column["levels"]], f"{where}.levels")
        return len(column["levels"]) - 1
    _NUMBER(column, where)
    knots = column["knots"]
    if len(knots) in (1, 2) or any(b - a < LEAST_GAP for a, b in pairwise(knots)):
        raise wrong(f"{where}.knots", "none, or at least 3 that grow", knots)
    return max(len(knots) - 1, 1)


def _check_seen(domain: list[Any], columns: list[Any]) -> None:
    if len(domain) != len(columns):
        raise wrong("seen", f"one entry for each of {len(columns)} covariates", domain)
    for values, column in zip(domain, columns, strict=True):
        if "levels" not in column:
            listed(number(), 2, 2)(values, "seen")
        elif {*map(from_json, values)} - {*map(from_json, column["levels"])}:
            raise wrong("seen", "some of its levels", values)


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


register_codec(Covariates, "Covariates", _to_parts, _from_parts, _check)
