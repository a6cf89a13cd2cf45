"""Columns as plain data: their links, their levels and their sums. See `static/links.js`."""

from typing import Any

import numpy as np

from elsewhere.estimators.link_space import LinkSpace
from elsewhere.estimators.links import Link

Plain = dict[str, Any]
AS_THEY_ARE = ("shape", "low", "high", "pad", "bend", "centre", "unit", "zeros", "whole", "cuts")
TOO_FAR_OUT = ("too_low", "lowest", "highest", "too_high")


def plain_columns(space: LinkSpace) -> list[Plain]:
    """Every modelled column: its name, its link, the range of its answers, its levels."""
    names = space.columns.inside
    return [_column(space, *pair) for pair in zip(names, space.links, strict=True)]


def plain_sums(space: LinkSpace) -> list[Plain]:
    """Totals and the columns that they are the sum of."""
    return [
        {"total": str(total), "parts": [str(part) for part in parts]}
        for total, parts in space.columns.sums
    ]


def _column(space: LinkSpace, name: Any, link: Link) -> Plain:
    least, most = link.range_in(np.dtype(float))
    fields = {field: getattr(link, field) for field in (*AS_THEY_ARE, *TOO_FAR_OUT)}
    levels = space.levels.get(name)
    return {
        "name": str(name),
        **fields,
        "least": least,
        "most": most,
        "scores": None if link.shape != "levels" else link.scores,
        "levels": None if levels is None else [str(level) for level in levels],
    }
