"""I7: each metric against k, as a picture."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.experiments.images.methods import CURVED, NAMES
from elsewhere.experiments.images.tables import SHARES
from elsewhere.report.style import BLUE, GREEN, GREY, ORANGE, PURPLE, canvas

_APART = 0.06  # of the distance between two k
_LOOKS = dict(zip(SHARES, (GREEN, PURPLE, ORANGE, BLUE), strict=True))


def curves_figure(title: str, frame: pd.DataFrame) -> Figure:
    """Mean ± standard deviation over seeds of each share against k; one panel per model.

    The dotted line is what the judge of domains scores on plain reconstructions: no effectiveness
    can be read without it.
    """
    names = [name for name in CURVED if name in set(frame["method"])]
    with canvas(1.2 + 4.4 * len(names), 3.6) as figure:
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        lowest = 100.0
        for ax, name in zip(panels, names, strict=True):
            lowest = min(lowest, _panel(ax, frame.query("method == @name")))
            ax.set_title(NAMES[name])
        panels[0].set(ylabel="per cent", ylim=(10 * (max(lowest, 0) // 10), 101))
        figure.suptitle(title)
        keys = panels[0].get_legend_handles_labels()
        figure.legend(*keys, loc="outside lower center", ncols=3)
    return figure


def _panel(ax: Axes, rows: pd.DataFrame) -> float:
    """The lines of one model; returns the lowest that anything in it reaches."""
    ks = sorted(set(rows["k"].tolist()))
    at, judged = np.arange(len(ks)), rows["domain_accuracy_reconstructed"].to_numpy(float)
    judge = 100 * float(judged.mean())
    reached = [judge]
    for i, (name, colour) in enumerate(_LOOKS.items()):
        parts = [100 * rows.query("k == @k")[name].to_numpy(float) for k in ks]
        means = np.array([part.mean() for part in parts])
        spread = np.array([part.std(ddof=1) if len(part) > 1 else 0.0 for part in parts])
        look = {"color": colour, "marker": "o", "markersize": 3.5, "capsize": 2.5}
        beside = at + _APART * (i - 1.5)  # equal values would hide each other
        ax.errorbar(beside, means, spread, label=name.capitalize(), **look)
        reached.append(float((means - spread).min()))
    ax.axhline(judge, color=GREY, linestyle=":", zorder=0, label="judge of domains")
    ax.set_xticks(at, [str(k) for k in ks])
    ax.set_xlabel("k, how many mechanisms may differ")
    return min(reached)
