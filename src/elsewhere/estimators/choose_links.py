"""Which link a column gets: the one that is asked for, or the one that its values suggest."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.estimators.links import Column, Link, counted, levels_link
from elsewhere.estimators.positive_links import pads, positive_links
from elsewhere.estimators.usual_values import usual_ranges
from elsewhere.estimators.zero_links import with_zeros, zero_link

Spec = str | tuple[Any, ...]  # ("bounded", low, high), ("levels", first, second, …)
KINDS = ("auto", "identity", "positive", "zeros", "bounded", "integer", "levels")
CEILING, CEILING_SHARE = 3, 0.01  # rows, and their share, that have exactly 100
PERCENT = re.compile(r"%|percent|(^|[^a-z])pct([^a-z]|$)", re.IGNORECASE)
ALL = (-np.inf, -np.inf, np.inf, np.inf)  # every value counts as it is
BLOCK = 1 << 18  # values that are looked at together
Columns = Float[np.ndarray, "m n"]  # one column a row, without gaps


def choose_links(
    names: Sequence[Any],
    x: Float[np.ndarray, "n m"],
    codes: Codes,
    links: str | Mapping[Any, Spec],
) -> tuple[Link, ...]:
    """One link a column; columns that `links` does not name are "auto"."""
    asked = links if isinstance(links, Mapping) else dict.fromkeys(names, links)
    known = set(names)
    if unknown := [name for name in asked if name not in known]:
        raise ValueError(
            f"links must name columns of X; got {unknown}, but its columns are {list(names)}."
        )
    specs = [asked.get(name, "auto") for name in names]
    size, found = max(1, BLOCK // max(len(x), 1)), []
    for start in range(0, len(names), size):
        block = slice(start, start + size)
        found += _counting(names[block], np.ascontiguousarray(x[:, block].T), codes, specs[block])
    return tuple(found)


def _counting(
    names: Sequence[Any], x: Columns, codes: Codes, specs: Sequence[Spec]
) -> Iterator[Link]:
    """The links of a block, by usual values only in columns for which no link is asked for."""
    ends = usual_ranges(x, codes)
    for j in np.flatnonzero(np.isfinite(ends).any(axis=0)).tolist():
        if specs[j] != "auto" or _has_bounds(names[j], x[j]):
            ends[:, j] = ALL
    links = _links(names, counted(x, *ends[:, :, None]), codes, specs)
    for link, values in zip(links, ends.T.tolist(), strict=True):
        given = zip(("too_low", "lowest", "highest", "too_high"), values, strict=True)
        yield link if values == list(ALL) else replace(link, **dict(given))


def choose_link(name: Any, x: Column, codes: Codes, spec: Spec) -> Link:
    """The link of one column."""
    return next(_counting([name], x[None], codes, [spec]))


def _one_link(name: Any, x: Column, codes: Codes, spec: Spec) -> Link:
    """The link of one column; "auto" reads its range off the values.

    Whole numbers only: answers are whole. Within [0, 1], and near both ends: bounded by 0 and 1.
    Within [0, 100], and touching both ends, called a percentage, or 100 in several rows, as oxygen
    saturation is: bounded by 0 and 100. Never
    negative: positive, with zeros apart where they are many. Else the identity. Levels are numbered
    from 0.
    """
    kind, *bounds = (spec,) if isinstance(spec, str) else spec
    if kind == "levels":
        return levels_link(x, max(len(bounds), int(x.max()) + 1))
    if kind not in KINDS or len(bounds) not in (0, 2) or (bounds and kind != "bounded"):
        raise ValueError(
            f"links[{name!r}] must be one of {KINDS} or ('bounded', low, high); got {spec!r}."
        )
    whole = kind != "identity" and bool((x == np.rint(x)).all())
    if kind == "integer" and not whole:
        value = float(x[x != np.rint(x)][0])
        raise ValueError(f"links[{name!r}] is 'integer', but the column holds {value!r}.")
    if kind in ("auto", "integer"):
        kind, bounds = _suggested(name, x.min(), x.max(), whole, _often_100(x))
    if kind == "identity":
        return Link(whole=whole).standardised(x)
    if kind == "positive" and spec != "positive" and with_zeros(x[None], codes)[0]:
        kind = "zeros"
    if kind in ("positive", "zeros"):
        return _positive(name, x, codes, whole, zeros=kind == "zeros")
    return _bounded(name, x, bounds or [x.min(), x.max()], whole)


def with_room(
    links: str | Mapping[Any, Spec],
    names: Sequence[Any],
    x: Float[np.ndarray, "n p"],
    others: Sequence[Float[np.ndarray, "_ p"]],
) -> str | Mapping[Any, Spec]:
    """The links asked for; of "auto" columns, those that leave room for the other rows as well."""
    if not others:
        return links
    asked: dict[Any, Spec] = dict(
        links if isinstance(links, Mapping) else dict.fromkeys(names, links)
    )
    every = np.concatenate([x, *others])
    for j, name in enumerate(names):
        seen, whole = _suggestion(name, x[:, j]), _suggestion(name, every[:, j])
        if asked.get(name, "auto") == "auto" and seen != whole:
            asked[name] = whole
    return asked


def _has_bounds(name: Any, column: Column) -> bool:
    return _suggestion(name, column)[0] == "bounded"


def _suggestion(name: Any, column: Column) -> Spec:
    there = column[~np.isnan(column)]
    if not len(there):
        return "auto"
    whole = bool((there == np.rint(there)).all())
    kind, bounds = _suggested(name, there.min(), there.max(), whole, _often_100(there))
    return (kind, *bounds) if bounds else kind


def _links(names: Sequence[Any], x: Columns, codes: Codes, specs: Sequence[Spec]) -> Sequence[Link]:
    """The links of a block: all "auto" columns without gaps at once, the others one by one."""
    found: dict[int, Link] = {}
    auto = np.array([spec == "auto" for spec in specs]) & ~np.isnan(x).any(axis=1)
    whole = np.zeros(len(x), bool)
    whole[auto] = (x[auto] == np.rint(x[auto])).all(axis=1)
    least, most = x.min(axis=1).tolist(), x.max(axis=1).tolist()
    capped = [top == 100 and _often_100(column) for column, top in zip(x, most, strict=True)]
    kinds = [
        _suggested(name, *ends)[0] if a else ""
        for name, a, *ends in zip(names, auto, least, most, whole.tolist(), capped, strict=True)
    ]
    never_negative = [i for i, kind in enumerate(kinds) if kind == "positive"]
    for i, apart in zip(never_negative, with_zeros(x[never_negative], codes), strict=True):
        kinds[i] = "zeros" if apart else kinds[i]
    for kind, of_kind in (("identity", _unbounded), ("positive", positive_links)):
        places = [i for i, found_kind in enumerate(kinds) if found_kind == kind]
        if places:
            found |= zip(places, of_kind(x[places], codes, whole[places]), strict=True)
    return [
        found[i] if i in found else _one_link(names[i], *_seen(x[i], codes), specs[i])
        for i in range(len(x))
    ]


def _unbounded(x: Columns, codes: Codes, whole: Bool[np.ndarray, " m"]) -> Iterator[Link]:
    """`Link(whole=…).standardised(…)` of each column."""
    for w, centre, unit in zip(whole, x.mean(axis=1), x.std(axis=1), strict=True):
        yield Link(whole=bool(w), centre=float(centre), unit=float(unit) or 1.0)


def _seen(x: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values that are not missing, and their domains, numbered anew."""
    there = ~np.isnan(x)
    if there.all():
        return x, codes
    return x[there], np.unique(codes[there], return_inverse=True)[1]


def _often_100(x: Column) -> bool:
    """Whether 100 is more than a value that the largest happens to have."""
    return int((x == 100).sum()) >= max(CEILING, CEILING_SHARE * len(x))


def _suggested(
    name: Any, low: float, high: float, whole: bool, capped: bool
) -> tuple[str, list[float]]:
    if not whole and 0 <= low < 0.1 and 0.9 < high <= 1:
        return "bounded", [0.0, 1.0]
    ends = (low, high) == (0, 100) or (high == 100 and capped)
    if low >= 0 and 1 < high <= 100 and (PERCENT.search(str(name)) or ends):
        return "bounded", [0.0, 100.0]
    return ("positive" if low >= 0 else "identity"), []


def _positive(name: Any, x: Column, codes: Codes, whole: bool, *, zeros: bool) -> Link:
    if x.min() < 0:
        kind = "zeros" if zeros else "positive"
        raise ValueError(
            f"links[{name!r}] is {kind!r}, but the column holds {x.min():g}. "
            "Use 'identity' or ('bounded', low, high)."
        )
    if zeros and not x.any():
        raise ValueError(f"links[{name!r}] is 'zeros', but the column holds nothing else.")
    if zeros:
        return zero_link(x, codes, whole)
    return next(iter(positive_links(x[None], codes, np.array([whole]))))


def _bounded(name: Any, x: Column, bounds: Sequence[Any], whole: bool) -> Link:
    low, high = (float(b) for b in bounds)
    if not (np.isfinite([low, high]).all() and low <= x.min() and x.max() <= high and low < high):
        raise ValueError(
            f"links[{name!r}] is bounded by {low:g} and {high:g}, but the column holds values "
            f"from {x.min():g} to {x.max():g}. Give bounds that contain them."
        )
    pad = float(pads(x[None], low, high, np.array([whole]))[0])
    return Link("logit", low, high, pad, whole=whole).standardised(x)
