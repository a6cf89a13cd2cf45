"""Pictures of answers: how far each method is from the truth, and where the samples went."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure

from elsewhere.escaping import for_picture
from elsewhere.report.style import BLUE, GREY, INK, ORANGE, bare, canvas, domain_colour


def error_figure(errors: Mapping[str, float], highlight: str) -> Figure:
    """A bar a method, on a logarithmic axis, least error on top."""
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    with canvas(6.5, 0.4 * len(ranked) + 0.9) as figure:
        ax = figure.subplots()
        colours = [BLUE if name == highlight else GREY for name, _ in ranked]
        ax.barh(
            [for_picture(name) for name, _ in ranked], [value for _, value in ranked], color=colours
        )
        ax.set_xscale("log")
        ax.set_xlabel("counterfactual error (mean squared, per coordinate)")
        for row, (_, value) in enumerate(ranked):
            ax.annotate(f" {value:.2g}", (value, row), va="center", fontsize=8)
        ax.margins(x=0.15)
    return figure


_KEY = "dots: true counterfactuals; arrows: to the answers; grey: rows of the target domain"


def arrows_figure(
    true: Float[np.ndarray, "n m"],
    estimates: Mapping[str, Float[np.ndarray, "n m"]],
    cloud: Float[np.ndarray, "N m"],
) -> Figure:
    """Two principal components; an arrow from each true counterfactual to the estimated one."""
    centre, axes = _principal_plane(cloud)
    with canvas(3.2 * len(estimates), 3.3) as figure:
        panels = figure.subplots(1, len(estimates), sharex=True, sharey=True, squeeze=False)[0]
        for ax, (name, estimate) in zip(panels, estimates.items(), strict=True):
            background, start, end = ((a - centre) @ axes for a in (cloud, true, estimate))
            ax.scatter(*background.T, s=3, color=GREY, linewidths=0, rasterized=True)
            ax.quiver(
                *start.T,
                *(end - start).T,
                color=ORANGE,
                angles="xy",
                scale_units="xy",
                scale=1,
                width=0.006,
            )
            ax.scatter(*start.T, s=10, color=INK, zorder=3)
            ax.set_title(for_picture(name))
            bare(ax)
        figure.supxlabel(_KEY, fontsize="small", color=INK)
    return figure


def columns_figure(
    before: Float[np.ndarray, "D n m"],
    after: Float[np.ndarray, "n m"],
    names: Sequence[str],
    source: int,
    target: int,
) -> Figure:
    """Histograms by column: the source's rows, the target's, and the source's moved there."""
    m = after.shape[1]
    with canvas(2.3 * min(m, 4), 2.0 * -(-m // 4)) as figure:
        panels = figure.subplots(-(-m // 4), min(m, 4), squeeze=False).ravel()
        for j, ax in enumerate(panels[:m]):
            values = (before[source][:, j], before[target][:, j], after[:, j])
            bins = np.histogram_bin_edges(np.concatenate(values), 40)
            ax.hist(values[0], bins, density=True, color=domain_colour(source), alpha=0.35)
            ax.hist(values[1], bins, density=True, color=domain_colour(target), alpha=0.35)
            ax.hist(values[2], bins, density=True, histtype="step", color=INK)
            ax.set_title(f"column {j}")
            bare(ax)
        for ax in panels[m:]:
            ax.set_axis_off()
        handles = panels[0].patches
        here, there = (for_picture(names[d]) for d in (source, target))
        labels = [here, there, f"{here} → {there}"]
        figure.legend(
            [handles[0], handles[40], handles[-1]], labels, loc="outside lower center", ncols=3
        )
    return figure


def _principal_plane(cloud: Float[np.ndarray, "N m"]) -> tuple[np.ndarray, np.ndarray]:
    centre = cloud.mean(0)
    return centre, np.linalg.svd(cloud - centre, full_matrices=False)[2][:2].T
