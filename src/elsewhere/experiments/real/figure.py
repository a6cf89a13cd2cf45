"""The picture of a real data set: every method's error on every split."""

import pandas as pd
from matplotlib.figure import Figure

from elsewhere.experiments.real.methods import METHODS
from elsewhere.experiments.real.summary import best_baseline, wide
from elsewhere.report.style import BLUE, GREEN, INK, ORANGE, PURPLE, canvas

COLOURS = {"ours": ORANGE, "baseline": BLUE, "peer": PURPLE, "reference": GREEN}
NAMES = {
    "ours": "elsewhere",
    "baseline": "baselines",
    "peer": "other packages",
    "reference": "see half the pairs",
}


def dot_figure(title: str, frame: pd.DataFrame) -> Figure:
    """A line per method, best first; a dot per split, a bar at the mean, log axis.

    The dashed line is the best baseline, the dotted one the error of answering with the mean.
    """
    errors = wide(frame)
    order = errors.mean().sort_values(ascending=False).index
    lowest = float(errors[best_baseline(errors)].to_numpy().mean())
    with canvas(6.4, 1.2 + 0.27 * len(order)) as figure:
        ax = figure.subplots()
        for y, name in enumerate(order):
            kind = METHODS[str(name)].kind
            dots = errors[name]
            ax.plot(dots, [y] * len(dots), "o", color=COLOURS[kind], markersize=4, alpha=0.6)
            ax.plot(dots.mean(), y, "|", color=INK, markersize=11)
        ax.axvline(lowest, color=BLUE, linestyle="--", linewidth=0.9)
        ax.axvline(1.0, color=INK, linestyle=":", linewidth=0.7)
        ax.set_xscale("log")
        ax.set_yticks(range(len(order)), [METHODS[str(name)].label for name in order])
        ax.set_xlabel("error (1: answering with the target's mean)")
        kinds = [k for k in COLOURS if any(METHODS[str(n)].kind == k for n in order)]
        for kind in kinds:
            ax.plot([], [], "o", color=COLOURS[kind], markersize=4, label=NAMES[kind])
        figure.legend(loc="outside lower center", ncols=len(kinds))
        ax.set_title(title)
    return figure
