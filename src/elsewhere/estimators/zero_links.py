"""Columns with more zeros than amounts near 0 account for: counts, costs, rain."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.estimators.links import Column, Link
from elsewhere.estimators.positive_links import positive_links

SHARE = 0.1  # of zeros, at least
NEAR, APART = 0.1, 3  # of the median; zeros to one amount that is nearer to 0
AMOUNTS = 5  # different ones that there must be, and so many in every domain that is not small
SMALL = 20  # rows of a domain below which it need not have any amount
ALIKE, ERRORS = 0.5, 3  # the smallest share of zeros over the largest; standard errors of chance
Columns = Float[np.ndarray, "m n"]


def with_zeros(x: Columns, codes: Codes) -> Bool[np.ndarray, " m"]:
    """Which columns, none of which is ever negative, have zeros that are apart from amounts."""
    none = x == 0
    maybe = np.flatnonzero(none.mean(axis=1) >= SHARE)
    found = np.zeros(len(x), bool)
    found[maybe] = [_apart(x[i], none[i], codes) for i in maybe]
    return found


def zero_link(x: Column, codes: Codes, whole: bool) -> Link:
    """The link of the amounts, with zeros apart."""
    there = x != 0
    amounts, places = x[there], np.unique(codes[there], return_inverse=True)[1]
    link = next(iter(positive_links(amounts[None], places, np.array([whole]))))
    return replace(link, zeros=True)


def zero_notes(
    names: Sequence[Any], links: Sequence[Link], x: Float[np.ndarray, "n m"], codes: Codes
) -> Iterator[str]:
    """What is done with zeros, and how far the domains differ in their share of them."""
    for name, link, column in zip(names, links, x.T, strict=True):
        if link.zeros:
            there = ~np.isnan(column)
            none = np.bincount(codes[there], column[there] == 0)
            shares = none / np.maximum(np.bincount(codes[there]), 1)
            yield (
                f"column {name!r} is 0 in {shares.min():.0%} to {shares.max():.0%} of the rows of "
                "a domain: a 0 stays 0, and only other amounts are moved. The share of zeros is "
                "not equalised."
            )


def _apart(x: Column, none: Bool[np.ndarray, " n"], codes: Codes) -> bool:
    """Whether zeros outnumber small amounts, and every domain has amounts to be compared.

    A domain of a few rows need not: it is taken to be as the others.
    """
    amounts = x[~none]
    if len(np.unique(amounts)) < AMOUNTS:
        return False
    rows = np.bincount(codes)
    shown = np.bincount(codes[~none], minlength=len(rows))
    if ((shown < AMOUNTS) & (rows >= SMALL)).any() or (shown >= AMOUNTS).sum() < 2:
        return False
    if not _alike(1 - shown / np.maximum(rows, 1), rows.astype(float)):
        return False
    whole = bool((amounts == np.rint(amounts)).all())
    near = max(NEAR * float(np.median(amounts)), 1.0 if whole else 0.0)
    return bool(none.sum() >= APART * (amounts <= near).sum())


def _alike(shares: Float[np.ndarray, " D"], rows: Float[np.ndarray, " D"]) -> bool:
    """Whether domains have zeros alike: a 0 of the one is then a 0 of the other, too."""
    ends = [np.argmin(shares), np.argmax(shares)]
    least, most = shares[ends]
    usual = shares @ rows / rows.sum()
    error = np.sqrt(usual * (1 - usual) * (1 / np.maximum(rows[ends], 1)).sum())
    return bool(least >= ALIKE * most or most - least <= ERRORS * error)
