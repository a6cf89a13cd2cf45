"""All moves at one glance: by pair of domains, by domain where pairs are many, or as a heat map."""

from collections.abc import Hashable

import numpy as np
from matplotlib.figure import Figure

from elsewhere.report.style import short
from elsewhere.report.table_report_pictures import heat_figure, sizes_figure
from elsewhere.trust.case import Pair
from elsewhere.trust.moves import Moves

CELLS = 12  # rows and columns of the picture, at most
MANY_PAIRS = 30  # from more pairs on, it is by domain
WIDE, MOST = 24, 40  # from more columns on, a heat map of so many replaces it


def overview(moves: Moves, pairs: list[Pair], columns: list[str]) -> tuple[Figure, str]:
    """A picture of all moves, and what it shows in words."""
    if len(columns) > WIDE:
        return _heat_map(moves, pairs[:MOST], columns)
    if len(pairs) > MANY_PAIRS:
        return _by_domain(moves, columns)
    size = {((a.source, a.target), a.column): a.size for a in moves.moves}
    shown = pairs[:CELLS], columns[:CELLS]
    values = np.array([[size[pair, name] for name in shown[1]] for pair in shown[0]])
    pairs_shown = [f"{short(str(d), 13)} → {short(str(e), 13)}" for d, e in shown[0]]
    figure = sizes_figure(values, pairs_shown, shown[1])
    caption = "Root mean square move of each column, in standard deviations within domains."
    if len(pairs) > CELLS or len(columns) > CELLS:
        caption += f" The largest of {len(pairs)} pairs and {len(columns)} columns."
    return figure, caption


def _by_domain(moves: Moves, columns: list[str]) -> tuple[Figure, str]:
    """How far rows of a domain move on their way to the others, where pairs are too many to see."""
    sizes: dict[Hashable, dict[str, list[float]]] = {}
    for a in moves.moves:
        sizes.setdefault(a.source, {}).setdefault(a.column, []).append(a.size)
    shown, mean = columns[:CELLS], {d: _means(by_column) for d, by_column in sizes.items()}
    order = sorted(mean, key=lambda d: -max(mean[d].values()))[:CELLS]
    values = np.array([[mean[d][name] for name in shown] for d in order])
    caption = (
        "How far each column of a domain's rows moves on the way to the other domains, on "
        "average, in standard deviations within domains."
    )
    if len(mean) > CELLS:
        caption += f" The {CELLS} of {len(mean)} domains that move most."
    return sizes_figure(values, [short(str(d), 29) for d in order], shown), caption


def _means(by_column: dict[str, list[float]]) -> dict[str, float]:
    return {name: float(np.mean(values)) for name, values in by_column.items()}


def _heat_map(moves: Moves, pairs: list[Pair], columns: list[str]) -> tuple[Figure, str]:
    """The mean move of the columns that move most, in colour: up or down."""
    mean = {((a.source, a.target), a.column): a.mean for a in moves.moves}
    shown = columns[:MOST]
    values = np.array([[mean[pair, name] for name in shown] for pair in pairs])
    labels = [f"{short(str(d), 13)} → {short(str(e), 13)}" for d, e in pairs]
    caption = (
        f"Mean move of the {len(shown)} of {len(columns)} columns that move most, in standard "
        "deviations within domains: red is up, blue is down."
    )
    return heat_figure(values, labels, shown), caption
