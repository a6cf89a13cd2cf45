"""The answer for a table: by how much rows move, in pictures and in numbers."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from elsewhere.escaping import Html
from elsewhere.report.before_and_after import before_and_after
from elsewhere.report.blocks import (
    element,
    folded,
    heading,
    paragraph,
    picture,
    table,
    together,
)
from elsewhere.report.overview import CELLS, WIDE, overview
from elsewhere.report.style import short
from elsewhere.report.table_report_pictures import (
    column_figure,
    joint_figure,
)
from elsewhere.trust.case import Case, Pair
from elsewhere.trust.moves import Move, values_of
from elsewhere.trust.tables import Trust

OPEN, CLOSED = 2, 2  # pairs of domains whose pictures are shown, and folded away
COLUMNS = 8  # columns with a picture
HALF_WIDTH = 1.645  # standard errors to either side, of a 90 % interval


def the_answer(case: Case, trust: Trust) -> list[Html]:
    """By how much rows move, in pictures and in numbers."""
    pairs, columns = _both_ways_apart(trust), list(trust.moves.by_column())
    shown = pairs if len(columns) <= WIDE else []
    opened = min(OPEN, len(pairs) // 2)
    return [
        heading("The answer"),
        paragraph(trust.moves.verdict.words),
        picture(*overview(trust.moves, pairs, columns)),
        *(_pair(case, pair) for pair in shown[:opened]),
        *(folded(f"{d} → {e}", _pair(case, (d, e))) for d, e in shown[opened : opened + CLOSED]),
        *before_and_after(case),
        _in_numbers(trust.moves.moves, case.estimator.space_.said),
    ]


def _in_numbers(moves: Sequence[Move], said: Callable[[str, float], str]) -> Html:
    """The largest moves of a column between two domains, folded away; `said` writes a value."""
    shown = moves[: CELLS * CELLS]
    what = (
        f"All {len(shown)} moves" if len(shown) == len(moves) else f"The {len(shown)} largest moves"
    )
    head = ["from", "to", "column", "move", "mean move", "90 % interval", "median before", "after"]
    return folded(f"{what} in numbers", table([head, *(_cells(move, said) for move in shown)]))


def _cells(move: Move, said: Callable[[str, float], str]) -> list[str]:
    return [
        str(move.source),
        str(move.target),
        move.column,
        f"{move.size:.3g}",
        f"{move.mean:+.3g}",
        f"± {HALF_WIDTH * move.error:.2g}" if move.error else "–",
        *(said(move.column, median) for median in (move.median_before, move.median_after)),
    ]


def _both_ways_apart(trust: Trust) -> list[Pair]:
    """Pairs by their largest move, each way back after all the ways there."""
    ordered = list(trust.moves.by_pair())
    seen: dict[frozenset[Hashable], Pair] = {}
    for pair in ordered:
        seen.setdefault(frozenset(pair), pair)
    there = list(seen.values())
    return there + [pair for pair in ordered if pair not in there]


def _pair(case: Case, pair: Pair) -> Html:
    """Before and after of one pair: the columns that move most, and the first two jointly."""
    d, e = pair
    tables = case.given[d], case.given[e], case.answer(pair)
    source, target, after = (values_of(case, X) for X in tables)
    sizes = np.sqrt((dict(case.moves())[pair] ** 2).mean(axis=0))
    order, level_names = np.argsort(-sizes)[:COLUMNS], case.estimator.space_.level_names
    panels = [
        picture(
            column_figure(
                case.names[j], source[:, j], target[:, j], after[:, j], level_names(case.names[j])
            ),
            f"{case.names[j]} in {d}, in {e}, and moved from {d} to {e}",
            shown=False,
        )
        for j in order
    ]
    caption = f"{d} (blue), {e} (orange), and rows of {d} moved to {e} (line)."
    if len(case.names) > COLUMNS:
        caption += f" The {COLUMNS} of {len(case.names)} columns that move most."
    grid = [element("div", panels, "grid"), paragraph(caption, "small")]
    joint = _joint(case, pair, order, (source, target, after))
    return together([heading(f"{d} → {e}", 3), *grid, joint])


def _joint(case: Case, pair: Pair, order: np.ndarray, rows: tuple[np.ndarray, ...]) -> Html:
    if len(order) < 2:
        return Html()
    two = order[:2]
    names = case.names[two[0]], case.names[two[1]]
    labels = short(str(pair[0]), 20), short(str(pair[1]), 20)
    rng = case.rng(3)
    shuffle = rng.permutation(len(rows[0]))
    source, target, after = rows[0][shuffle], rng.permutation(rows[1]), rows[2][shuffle]
    figure = joint_figure(names, labels, source[:, two], target[:, two], after[:, two])
    return picture(figure, "The two columns that move most; arrows lead to the answers.")
