"""Which link a column gets: the one that is asked for, or the one that its values suggest."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.estimators.labels import Codes
from elsewhere.estimators.links import Column, Link, levels_link

Spec = str | tuple[Any, ...]  # ("bounded", low, high), ("levels", first, second, …)
BEND = 1 / 3  # of the smallest value: softplus leaves all that were seen nearly as they are
DECISIVE = 150.0  # nats over all rows
KINDS = ("auto", "identity", "positive", "bounded", "integer", "levels")
PERCENT = re.compile(r"%|percent|(^|[^a-z])pct([^a-z]|$)", re.IGNORECASE)


def choose_links(
    names: Sequence[Any],
    x: Float[np.ndarray, "n m"],
    codes: Codes,
    links: str | Mapping[Any, Spec],
) -> tuple[Link, ...]:
    """One link a column; columns that `links` does not name are "auto"."""
    asked = links if isinstance(links, Mapping) else dict.fromkeys(names, links)
    if unknown := [name for name in asked if name not in set(names)]:
        raise ValueError(
            f"links must name columns of X; got {unknown}, but its columns are {list(names)}."
        )
    specs = [asked.get(name, "auto") for name in names]
    return tuple(
        choose_link(name, *_seen(column, codes), spec)
        for name, column, spec in zip(names, x.T, specs, strict=True)
    )


def choose_link(name: Any, x: Column, codes: Codes, spec: Spec) -> Link:
    """The link of one column; "auto" reads its range off the values.

    Whole numbers only: answers are whole. Within [0, 1], and near both ends: bounded by 0 and 1.
    Within [0, 100], and touching both ends or called a percentage: bounded by 0 and 100. Never
    negative: positive. Else the identity. Levels are numbered from 0.
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
        kind, bounds = _suggested(name, x, whole)
    if kind == "identity":
        return Link(whole=whole).standardised(x)
    if kind == "positive":
        return _positive(name, x, codes, whole)
    return _bounded(name, x, bounds or [x.min(), x.max()], whole)


def _seen(x: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values that are not missing, and their domains, numbered anew."""
    there = ~np.isnan(x)
    if there.all():
        return x, codes
    return x[there], np.unique(codes[there], return_inverse=True)[1]


def _suggested(name: Any, x: Column, whole: bool) -> tuple[str, list[float]]:
    low, high = x.min(), x.max()
    if not whole and 0 <= low < 0.1 and 0.9 < high <= 1:
        return "bounded", [0.0, 1.0]
    if low >= 0 and 1 < high <= 100 and (PERCENT.search(str(name)) or (low, high) == (0, 100)):
        return "bounded", [0.0, 100.0]
    return ("positive" if low >= 0 else "identity"), []


def _positive(name: Any, x: Column, codes: Codes, whole: bool) -> Link:
    """softplus, which bends only below the smallest value; log where rows insist.

    Differences between domains mostly add to a column or stretch it, and so a logarithm must gain
    DECISIVE nats over all rows by making the column normal within domains.
    """
    if x.min() < 0:
        raise ValueError(
            f"links[{name!r}] is 'positive', but the column holds {x.min():g}. "
            "Use 'identity' or ('bounded', low, high)."
        )
    pad = _pad(x, 0.0, np.inf, whole)
    bend = min(BEND * (float(x.min()) + pad), _within(x, codes))
    soft = Link("softplus", 0.0, pad=pad, bend=bend, whole=whole).standardised(x)
    log = Link("log", 0.0, pad=pad, whole=whole).standardised(x)
    gain = len(x) * (_fit(log, x, codes) - _fit(soft, x, codes))
    return log if gain > DECISIVE else soft


def _bounded(name: Any, x: Column, bounds: Sequence[Any], whole: bool) -> Link:
    low, high = (float(b) for b in bounds)
    if not (np.isfinite([low, high]).all() and low <= x.min() and x.max() <= high and low < high):
        raise ValueError(
            f"links[{name!r}] is bounded by {low:g} and {high:g}, but the column holds values "
            f"from {x.min():g} to {x.max():g}. Give bounds that contain them."
        )
    return Link("logit", low, high, _pad(x, low, high, whole), whole=whole).standardised(x)


def _pad(x: Column, low: float, high: float, whole: bool) -> float:
    """Half the least distance of a value to a bound that it does not touch; 0 where none does."""
    if whole:
        return 0.5
    gaps = np.minimum(x - low, high - x)
    least = gaps[gaps > 0].min(initial=high - low)
    return 0.5 * float(least) if (gaps == 0).any() else 0.0


def _within(values: Column, codes: Codes) -> float:
    """The standard deviation within domains."""
    counts = np.bincount(codes)
    means = np.bincount(codes, values) / counts
    return float(np.sqrt(np.mean((values - means[codes]) ** 2))) or 1.0


def _fit(link: Link, x: Column, codes: Codes) -> float:
    """The mean log-likelihood of a normal within each domain, up to a constant."""
    return float(link.log_slope(x).mean() - np.log(_within(link.forward(x), codes)))
