"""Images seen in two domains, where the truth is known; and what more of them gain."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.datasets.pictures import ImageData
from elsewhere.estimators.image_pairs import ImagePairs
from elsewhere.report.style import BLUE, GREY, ORANGE, canvas

_LOOKS = {"can": BLUE, "dense": ORANGE}
_PANELS = (("preservation", "Preservation, per cent", 100.0), ("pixel_error", "pixel error", 1.0))


def drawn_pairs(rng: np.random.Generator, data: ImageData, count: int) -> ImagePairs:
    """Images at random, each in its own domain and, as the truth has it, in another at random.

    Args:
        rng: which images, and where to.
        data: images whose true counterfactuals are known.
        count: how many pairs, over all ways from domain to domain together.
    """
    check_pairs(count, data)
    rows = rng.permutation(len(data))[:count]
    d = data.domains[rows]
    d_prime = (d + rng.integers(1, data.num_domains, count)) % data.num_domains
    others = [data.counterfactual([row], int(e))[0] for row, e in zip(rows, d_prime, strict=True)]
    return ImagePairs(data.images[rows], np.stack(others), d, d_prime)


def check_pairs(count: int, data: ImageData) -> None:
    """Raise where this many pairs cannot be drawn from these images."""
    if count > len(data):
        raise ValueError(f"pairs must be at most the {len(data)} validation images; got {count}.")
    if count and data.truth is None:
        raise ValueError(
            f"pairs must be 0, because the truth of these images is not known; got {count}."
        )


def pairs_figure(title: str, frame: pd.DataFrame) -> Figure:
    """Preservation and pixel error against the number of pairs, mean ± sd over seeds.

    Args:
        title: of the figure.
        frame: rows of an image experiment, those of Can with one k.
    """
    with canvas(8.4, 3.4) as figure:
        for ax, panel in zip(figure.subplots(1, 2), _PANELS, strict=True):
            _panel(ax, frame, *panel)
        seeds = len(set(frame["seed"].tolist()))
        figure.suptitle(f"{title}; {seeds} seed{'s' if seeds > 1 else ''}")
        figure.legend(
            *figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2
        )
    return figure


def _panel(ax: Axes, frame: pd.DataFrame, score: str, words: str, scale: float) -> None:
    places = sorted(set(frame["pairs"].tolist()))
    for name, colour in _LOOKS.items():
        rows = frame.query("method == @name")
        found = [scale * rows.query("pairs == @n")[score].to_numpy(float) for n in places]
        at = [i for i, values in enumerate(found) if len(values)]
        means = [found[i].mean() for i in at]
        spread = [found[i].std(ddof=1) if len(found[i]) > 1 else 0.0 for i in at]
        look = {"color": colour, "marker": "o", "markersize": 3.5, "capsize": 2.5}
        if at:
            ax.errorbar(at, means, spread, label=f"ILD-{name.capitalize()}", **look)
    if score == "pixel_error":
        unmoved = frame["pixel_error_unmoved"].to_numpy(float).mean()
        ax.axhline(unmoved, color=GREY, linestyle=":", zorder=0)
    ax.set_xticks(range(len(places)), [str(count) for count in places])
    ax.set(xlabel="pairs", ylabel=words)
