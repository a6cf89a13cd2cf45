"""I7: each metric against k, as a picture."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from elsewhere.experiments.images.tables import SHARES
from elsewhere.report.style import BLUE, GREEN, GREY, ORANGE, PURPLE, canvas

_APART = 0.06  # of the distance between two k
_LOOKS = dict(zip(SHARES, (GREEN, PURPLE, ORANGE, BLUE), strict=True))


def curves_figure(title: str, frame: pd.DataFrame) -> Figure:
    """Mean ± standard deviation over seeds of each share of ILD-Can, a line each, against k.

    The dotted line is what the judge of domains scores on plain reconstructions: no effectiveness
    can be read without it.
    """
    can = frame.query("method == 'can'")
    ks = sorted(set(can["k"].tolist()))
    at = np.arange(len(ks))
    with canvas(5.6, 3.4) as figure:
        ax, lowest = figure.subplots(), 100.0
        for i, (name, colour) in enumerate(_LOOKS.items()):
            parts = [100 * can.query("k == @k")[name].to_numpy(float) for k in ks]
            means = [part.mean() for part in parts]
            spread = [part.std(ddof=1) if len(part) > 1 else 0.0 for part in parts]
            look = {"color": colour, "marker": "o", "markersize": 3.5, "capsize": 2.5}
            beside = at + _APART * (i - 1.5)  # equal values would hide each other
            ax.errorbar(beside, means, spread, label=name.capitalize(), **look)
            lowest = min(lowest, *(mean - sd for mean, sd in zip(means, spread, strict=True)))
        judge = 100 * float(can["domain_accuracy_reconstructed"].to_numpy(float).mean())
        ax.axhline(judge, color=GREY, linestyle=":", zorder=0, label="judge of domains")
        ax.set_xticks(at, [str(k) for k in ks])
        ax.set(xlabel="k, how many mechanisms may differ", ylabel="per cent")
        ax.set_ylim(10 * (max(min(lowest, judge), 0) // 10), 101)
        ax.set_title(title)
        figure.legend(loc="outside lower center", ncols=3)
    return figure
