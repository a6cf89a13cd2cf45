"""What the header of a table's model must hold, checked before anything is built from it."""

import re
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from elsewhere.estimators.labels import check_label
from elsewhere.estimators.links import Shape
from elsewhere.estimators.sums import check_sum
from elsewhere.fitting import Options
from elsewhere.saving import Reader, check_result
from elsewhere.saving.labels import domains_from_json, from_json
from elsewhere.saving.places import BESIDE
from elsewhere.saving.rules import (
    Optional,
    fields,
    label,
    label_or_null,
    like,
    listed,
    nullable,
    number,
    one_of,
    plain,
    text,
    truth,
    unique,
    whole,
    wrong,
)

MOST_COLUMNS = 1_000_000
MISSING = "nan"  # the value of a column without any, for JSON has no such number
_DTYPE = re.compile(r"(float|u?int)\d+|longdouble")
_POSITIVE = number(1e-300)
_NUMBER_OR_NULL = nullable(number())
_PAIR = listed(lambda *_: None, 2, 2)  # rules that are asked of every column are made once
_LEVELS, _PARTS, _SPEC = listed(label, 2), listed(label, 1, MOST_COLUMNS), listed(plain, 1, 10_000)


def check_header(header: Mapping[str, Any], reader: Reader) -> None:
    """Raise ValueError where the header makes no estimator; no model is built."""
    _HEADER(header, "the header")
    for domain in domains_from_json(header["domains"]):
        check_label(domain)
    columns, links = header["columns"], header["links"]
    names = [from_json(name) for name in columns["names"]]
    _check_names(names)
    lengths = {header["features"], *(len(columns[n]) for n in ("names", "dtypes", "constant"))}
    totals = _check_sums(header, {*names})
    pairs = zip(names, columns["constant"], strict=False)
    modelled = [name for name, value in pairs if value is None and name not in totals]
    if len(lengths) > 1 or len(modelled) != len(links) or not links:
        raise ValueError("columns and links do not fit each other.")
    if check_result(header["result"], reader) - {None, len(links)}:
        raise ValueError(f"models must take the {len(links)} columns that vary; they do not.")
    for part, name in BESIDE.items():
        kept = header.get(part)
        if kept is not None and reader.check(kept, {name}) != len(links):
            raise ValueError(f"{part} must be about {len(links)} columns; they are not.")
    _check_levels(header, {*names}, dict(zip(modelled, links, strict=True)))


def _check_names(names: Sequence[Any]) -> None:
    unique(names, "columns.names")
    if len({isinstance(name, str) for name in names}) > 1:
        raise wrong("columns.names", "all text, or none of them", list(names))


def _check_sums(header: Mapping[str, Any], names: Set[Any]) -> Set[Any]:
    """The totals, if every sum is one of columns of numbers and each has one."""
    sums = [
        (from_json(t), [from_json(p) for p in ps]) for t, ps in header["columns"].get("sums", ())
    ]
    unique([total for total, _ in sums], "columns.sums")
    totals = {total for total, _ in sums}
    levels = {from_json(name): 0 for name, _ in header.get("levels", ())}
    for total, parts in sums:
        check_sum(total, parts, names, totals, levels)
    return totals


def _check_levels(header: Mapping[str, Any], names: Set[Any], links: Mapping[Any, Any]) -> None:
    """Every column of levels must have as many as its link; one that never varies has no link."""
    for saved, values in header.get("levels", ()):
        name = from_json(saved)
        if name not in names:
            raise wrong("levels", "those of columns", name)
        unique([from_json(value) for value in values], "levels")
        cuts = len(links[name].get("cuts", ())) if name in links else len(values) - 1
        if len(values) != cuts + 1:
            raise wrong(
                f"levels of {name!r}", f"{cuts + 1}, because its link has {cuts} cuts", values
            )


def _dtype(value: Any, where: str) -> None:
    text(value, where)
    if not _DTYPE.fullmatch(value) or np.dtype(value).kind not in "iuf":
        raise wrong(where, "a type of numbers", value)


def _link(value: Any, where: str) -> None:
    _LINK(value, where)
    needs: Sequence[str] = {
        "logit": ("low", "high"),
        "identity": (),
        "levels": ("cuts",),
    }.get(value["shape"], ("low",))
    if missing := [name for name in needs if name not in value]:
        raise wrong(where, f"a link with {missing}, because it is {value['shape']!r}", value)
    cuts = value.get("cuts", [])
    if bool(cuts) != (value["shape"] == "levels") or any(b <= a for a, b in pairwise(cuts)):
        raise wrong(where, "a link with cuts that grow if it has levels, and else with none", cuts)
    if cuts and (value.get("low"), value.get("high")) != (0, len(cuts)):
        raise wrong(where, f"a link from 0 to {len(cuts)}, one more than it has cuts", value)
    if value.get("zeros") and value["shape"] not in ("log", "softplus"):
        raise wrong(where, "a link of amounts, if zeros are apart", value)
    if "high" in value and not value.get("low", -np.inf) < value["high"]:
        raise wrong(where, "a link with low below high", value)


def _named_levels(value: Any, where: str) -> None:
    _PAIR(value, where)
    label(value[0], where)
    _LEVELS(value[1], where)


def _named_sum(value: Any, where: str) -> None:
    _PAIR(value, where)
    label(value[0], where)
    _PARTS(value[1], where)


def _named_reason(value: Any, where: str) -> None:
    _PAIR(value, where)
    label(value[0], where)
    text(value[1], where)


def _asked_columns(value: Any, where: str) -> None:
    (listed(label, 1, MOST_COLUMNS) if isinstance(value, list) else text)(value, where)


def _constant(value: Any, where: str) -> None:
    if value != MISSING:
        _NUMBER_OR_NULL(value, where)


def _k(value: Any, where: str) -> None:
    if value is not None and value != "auto":
        whole(0, MOST_COLUMNS)(value, where)


def _mixing(value: Any, where: str) -> None:
    (fields({"engine": fields({})}) if isinstance(value, dict) else text)(value, where)


def _links(value: Any, where: str) -> None:
    if not isinstance(value, list):
        text(value, where)
        return
    for i, entry in enumerate(value):
        _PAIR(entry, f"{where}[{i}]")
        label(entry[0], f"{where}[{i}]")
        (_SPEC if isinstance(entry[1], list) else text)(entry[1], f"{where}[{i}]")


def _options(value: Any, where: str) -> None:
    fields({"search": Optional(like(Options())), "gradient": Optional(like(None))})(value, where)
    if len(value) != 1:
        raise wrong(where, "one of search and gradient", sorted(value))


_LINK = fields(
    {
        "shape": one_of(*get_args(Shape)),
        "low": Optional(number()),
        "high": Optional(number()),
        "pad": number(0.0),
        "bend": _POSITIVE,
        "whole": truth,
        "centre": number(),
        "unit": _POSITIVE,
        "cuts": Optional(listed(number(), 0, 10_000)),
        "zeros": Optional(truth),
        "too_low": Optional(number()),
        "lowest": Optional(number()),
        "highest": Optional(number()),
        "too_high": Optional(number()),
    },
    exact=True,
)
_SETTINGS = fields(
    {
        "k": _k,
        "mixing": _mixing,
        "slope": number(),
        "random_state": nullable(whole(-(2**63), 2**63)),
        "links": _links,
        "options": nullable(_options),
        "columns": Optional(_asked_columns),
    }
)
_COLUMNS = fields(
    {
        "names": listed(label, 1, MOST_COLUMNS),
        "dtypes": listed(_dtype, 1, MOST_COLUMNS),
        "named": truth,
        "constant": listed(_constant, 1, MOST_COLUMNS),
        "sums": Optional(listed(_named_sum, 0, MOST_COLUMNS)),
    }
)
_HEADER = fields(
    {
        "settings": _SETTINGS,
        "float64": Optional(truth),
        "features": whole(1, MOST_COLUMNS),
        "domains": listed(label, 2),
        "domain_name": label_or_null,
        "mixing": text,
        "columns": _COLUMNS,
        "links": listed(_link, 1, MOST_COLUMNS),
        "notes": listed(text),
        "missing_text": Optional(listed(text)),
        "carried": Optional(listed(_named_reason, 0, MOST_COLUMNS)),
        "levels": Optional(listed(_named_levels)),
    }
)
