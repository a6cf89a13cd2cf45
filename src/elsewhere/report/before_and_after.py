"""The first thing to look at: every column by domain, before and after, as boxes."""

from collections.abc import Hashable, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from elsewhere.escaping import Html
from elsewhere.estimators.pictures import draw_before_and_after
from elsewhere.report.blocks import folded, picture
from elsewhere.report.style import canvas, name_levels, short
from elsewhere.trust.case import Case
from elsewhere.trust.moves import values_of

COLUMNS, DOMAINS, ACROSS = 24, 12, 4

Boxes = Sequence[Float[np.ndarray, "_ p"]]


def before_and_after(case: Case) -> list[Html]:
    """Boxes of the first columns by domain: as they are, and as if all came from the largest."""
    target = max(case.linked, key=lambda d: len(case.linked[d]))
    shown = list(case.linked)[:DOMAINS]
    before = [values_of(case, case.given[d]) for d in shown]
    after = [values_of(case, _as_if(case, d, target)) for d in shown]
    names = case.names[:COLUMNS]
    caption = (
        f"Each column by domain, as it is (grey) and as if all rows came from {target} (blue): the "
        "middle half of the rows, their median, and whiskers over nine tenths."
    )
    left = len(case.names) - len(names)
    title = "Every column before and after, by domain" + (f" ({left} more)" if left else "")
    levels = [case.estimator.space_.level_names(name) for name in names]
    figure = boxes_figure(before, after, names, [str(d) for d in shown], levels)
    return [folded(title, picture(figure, caption))]


def boxes_figure(
    before: Boxes,
    after: Boxes,
    names: Sequence[str],
    domains: Sequence[str],
    levels: Sequence[Sequence[str]] = (),
) -> Figure:
    """One panel per column, two boxes per domain: before in grey, after in blue."""
    across = min(ACROSS, len(names))
    down = -(-len(names) // across)
    with canvas(2.4 * across, 0.5 + (0.7 + 0.22 * len(domains)) * down) as figure:
        panels = np.ravel(figure.subplots(down, across, squeeze=False))
        for j, (ax, name) in enumerate(zip(panels, names, strict=False)):
            columns = ([table[:, j] for table in tables] for tables in (before, after))
            draw_before_and_after(ax, *columns)
            ax.set_title(short(name, 22))
            ax.set_yticks(range(len(domains)), [short(d, 12) for d in domains])
            ax.locator_params(axis="x", nbins=4)
            name_levels(ax, levels[j] if levels else ())
        for ax in panels[len(names) :]:
            ax.remove()
    return figure


def _as_if(case: Case, d: Hashable, target: Hashable) -> object:
    return case.given[d] if d == target else case.answer((d, target))
