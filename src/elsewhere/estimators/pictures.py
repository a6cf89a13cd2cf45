"""One column by domain, before and after: boxes on matplotlib axes, which are loaded when asked."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from elsewhere.escaping import for_picture

if TYPE_CHECKING:
    from elsewhere.estimators.table_questions import TableQuestions

INK, BEFORE, AFTER = "#2b2b2b", "#d9d9d9", "#3b75af"
STEP = 0.18  # from a domain's place to either of its boxes
Values = Sequence[Float[np.ndarray, " _"]]


def plot_column(
    estimator: "TableQuestions",
    X: Any,
    domains: Any,
    column: Hashable,
    target: Hashable,
    ax: Any = None,
    **given: Any,
) -> Any:
    """Boxes of a column by domain, as it is (grey) and as if all rows came from `target` (blue)."""
    names = estimator.space_.columns.names
    if column not in estimator.links_ or column in estimator.space_.levels:
        plain = [n for n in estimator.links_ if n not in estimator.space_.levels]
        raise ValueError(
            f"column must be one of numbers that is modelled, {plain}; got {column!r}."
        )
    codes = estimator._codes("domains", domains, len(X))
    moved = estimator.counterfactual(X, source=domains, target=target, **given)
    place = names.index(column)
    before, after = (
        _by_domain(table, place, codes, len(estimator.domains_)) for table in (X, moved)
    )
    axes = _new_axes() if ax is None else ax
    draw_before_and_after(axes, before, after)
    axes.set_yticks(range(len(before)), [for_picture(str(d)) for d in estimator.domains_])
    axes.set_xlabel(for_picture(str(column)))
    axes.set_title(for_picture(f"as it is (grey), as if from {target} (blue)"))
    return axes


def draw_before_and_after(ax: Any, before: Values, after: Values) -> None:
    """Two boxes per domain, the first domain on top: the middle half, whiskers over nine tenths."""
    for step, values, colour in ((-STEP, before, BEFORE), (STEP, after, AFTER)):
        drawn = ax.boxplot(
            values,
            positions=np.arange(len(values)) + step,
            widths=0.3,
            vert=False,
            whis=(5, 95),
            showfliers=False,
            patch_artist=True,
            medianprops={"color": INK},
            whiskerprops={"linewidth": 0.7},
            capprops={"linewidth": 0.7},
        )
        for box in drawn["boxes"]:
            box.set(facecolor=colour, linewidth=0.7)
    ax.invert_yaxis()


def _new_axes() -> Any:
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _by_domain(table: Any, place: int, codes: np.ndarray, count: int) -> list[np.ndarray]:
    """The values of a column in each domain, without gaps."""
    if hasattr(table, "iloc"):
        values = table.iloc[:, place].to_numpy(float, na_value=np.nan)
    else:
        values = np.asarray(table, float)[:, place]
    return [values[(codes == i) & ~np.isnan(values)] for i in range(count)]
