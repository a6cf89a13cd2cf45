"""Pictures of one table's answers: which columns move, before and after, and jointly."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from elsewhere.baselines.words import in_words
from elsewhere.escaping import for_picture
from elsewhere.report.style import BLUE, GREY, INK, ORANGE, canvas, name_levels, short

ARROWS, POINTS, BINS = 25, 250, 30


def sizes_figure(
    sizes: Float[np.ndarray, "pairs columns"], pairs: Sequence[str], columns: Sequence[str]
) -> Figure:
    """How far each column moves for each pair, in deviations: a number in every square."""
    rows, width = sizes.shape
    with canvas(1.6 + 0.7 * max(width, 4), 0.95 + 0.3 * rows) as figure:
        ax = figure.subplots()
        ax.imshow(sizes, cmap="Blues", vmin=0, vmax=max(2.0, float(sizes.max())), aspect="auto")
        for (i, j), size in np.ndenumerate(sizes):
            dark = size > 0.55 * max(2.0, float(sizes.max()))
            ax.text(j, i, f"{size:.2f}", ha="center", va="center", color="w" if dark else INK)
        ax.set_xticks(range(width), [short(name, 22) for name in columns], rotation=30, ha="right")
        ax.set_yticks(range(rows), pairs)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    return figure


def heat_figure(
    moves: Float[np.ndarray, "pairs columns"], pairs: Sequence[str], columns: Sequence[str]
) -> Figure:
    """The mean move of many columns for each pair, as colours about 0."""
    rows, width = moves.shape
    limit = max(0.5, float(np.abs(moves).max()))
    with canvas(1.8 + 0.19 * width, 1.6 + 0.22 * rows) as figure:
        ax = figure.subplots()
        image = ax.imshow(moves, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
        ax.set_xticks(range(width), [short(name, 13) for name in columns], rotation=90, fontsize=7)
        ax.set_yticks(range(rows), pairs)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        figure.colorbar(image, ax=ax, pad=0.01, shrink=0.9)
    return figure


def column_figure(
    name: str,
    source: Float[np.ndarray, " a"],
    target: Float[np.ndarray, " b"],
    moved: Float[np.ndarray, " a"],
    levels: Sequence[str] = (),
) -> Figure:
    """One column: the source's rows, the target's, and the source's moved there."""
    every = np.concatenate([source, target, moved])
    tails = 0.005 if len(every) > 200 else 0.0
    low, high = np.quantile(every, [tails, 1 - tails])
    edges: list[float] = np.linspace(low, high if high > low else low + 1, BINS + 1).tolist()
    edges = [place - 0.5 for place in range(len(levels) + 1)] if levels else edges
    with canvas(2.5, 1.75) as figure:
        ax = figure.subplots()
        for values, colour in ((source, BLUE), (target, ORANGE)):
            ax.hist(values, edges, density=True, histtype="stepfilled", color=colour, alpha=0.35)
        ax.hist(moved, edges, density=True, histtype="step", color=INK, linewidth=1.3)
        ax.set_title(short(name, 25))
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.locator_params(axis="x", nbins=4)
        name_levels(ax, levels)
    return figure


def joint_figure(
    names: tuple[str, str],
    labels: tuple[str, str],
    source: Float[np.ndarray, "a 2"],
    target: Float[np.ndarray, "b 2"],
    moved: Float[np.ndarray, "a 2"],
) -> Figure:
    """The two columns that move most: both clouds, and arrows from rows to their answers."""
    with canvas(4.6, 3.5) as figure:
        ax = figure.subplots()
        ax.scatter(*source[:POINTS].T, s=7, color=BLUE, alpha=0.45, linewidths=0, label=labels[0])
        ax.scatter(*target[:POINTS].T, s=7, color=ORANGE, alpha=0.45, linewidths=0, label=labels[1])
        for start, end in zip(source[:ARROWS], moved[:ARROWS], strict=True):
            arrow = {"arrowstyle": "->", "color": INK, "lw": 0.7, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", xy=end, xytext=start, arrowprops=arrow)
        ax.set_xlabel(short(names[0], 45))
        ax.set_ylabel(short(names[1], 35))
        box = np.concatenate([source[:POINTS], target[:POINTS], moved[:ARROWS]])
        for set_limits, (low, high) in zip(
            (ax.set_xlim, ax.set_ylim), np.quantile(box, [0.002, 0.998], axis=0).T, strict=True
        ):
            pad = 0.05 * (high - low) or 1.0
            set_limits(low - pad, high + pad)
        figure.legend(loc="outside lower center", ncols=2, markerscale=2)
    return figure


def errors_figure(errors: dict[str, float], ours: str) -> Figure:
    """One bar per method on a logarithmic axis, least error on top."""
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    values = np.maximum([value for _, value in ranked], 1e-12)
    with canvas(4.6, 0.26 * len(ranked) + 0.75) as figure:
        ax = figure.subplots()
        colours = [BLUE if name == ours else GREY for name, _ in ranked]
        ax.barh([for_picture(in_words(name)) for name, _ in ranked], values, color=colours)
        ax.set_xscale("log")
        ax.set_xlabel("error on simulated rows")
        for row, value in enumerate(values):
            ax.annotate(f" {value:.2g}", (value, row), va="center", fontsize=8)
        ax.margins(x=0.2)
    return figure
