"""The figures of an experiment: error and likelihood along its axis."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.escaping import for_picture
from elsewhere.experiments.cells import EXPERIMENTS
from elsewhere.experiments.summary import methods_in, summarise
from elsewhere.report.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, canvas

LOOKS = {
    "can": (BLUE, "-", "ILD-Can"),
    "auto": (GREEN, "-", "ILD-Can, k from the data"),
    "dense": (ORANGE, "-", "ILD-Dense"),
    "recipe_can": (BLUE, ":", "ILD-Can, the paper's recipe"),
    "recipe_dense": (ORANGE, ":", "ILD-Dense, the paper's recipe"),
    "entropic_ot": (PURPLE, "--", "entropic OT"),
    "gaussian_ot": (PURPLE, "-", "Gaussian OT"),
    "combat": (INK, "-", "ComBat"),
    "mean_variance": ("#8c8c8c", "--", "mean and variance"),
    "identity": (GREY, "-", "nothing"),
}


def error_figure(experiment: str, frame: pd.DataFrame) -> Figure:
    """The error along the axis, one panel per number of domains (or m), one line per method."""
    return _figure(experiment, summarise(frame), "counterfactual error", log=True)


def likelihood_figure(experiment: str, frame: pd.DataFrame) -> Figure:
    """Nats per row that each fit is below the truth on validation rows, or its negative ELBO."""
    fits = frame.dropna(subset=["log_likelihood"]).copy()
    if EXPERIMENTS[experiment].bound:
        fits["bound"] = -fits["log_likelihood"]
        label = "negative ELBO, nats per row"
        return _figure(experiment, summarise(fits, "bound"), label, log=False)
    fits["gap"] = fits["true_log_likelihood"] - fits["log_likelihood"]
    return _figure(experiment, summarise(fits, "gap"), "nats per row below the truth", log=False)


def _figure(experiment: str, table: pd.DataFrame, label: str, *, log: bool) -> Figure:
    setting = EXPERIMENTS[experiment]
    split = setting.panels
    panels, biases = table[split].unique(), table["bias"].unique()
    with canvas(max(3.3 * len(panels), 5.0), 2.9 * len(biases) + 0.9) as figure:
        axes = figure.subplots(len(biases), len(panels), sharey=True, squeeze=False)
        for row, bias in zip(axes, biases, strict=True):
            for ax, value in zip(row, panels, strict=True):
                _draw(ax, table.query(f"{split} == @value and bias == @bias"), log=log)
                ax.set_title(f"{bias}, {split.replace('num_', '')} = {value}")
                ax.set_xlabel(setting.axis)
            row[0].set_ylabel(label)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        columns = 4 if len(panels) > 1 else 2
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
        figure.suptitle(f"{experiment}: {setting.title}")
    return figure


def _draw(ax: Axes, cell: pd.DataFrame, *, log: bool) -> None:
    for method in methods_in(cell):
        line = cell[cell["method"] == method]
        colour, style, name = LOOKS.get(method, (INK, ":", for_picture(method)))
        ax.errorbar(
            line["at"],
            line["mean"],
            line["sem"],
            color=colour,
            linestyle=style,
            label=name,
            marker="o",
            markersize=3,
            capsize=2,
        )
    ax.set_yscale("log" if log else "symlog", **({} if log else {"linthresh": 0.01}))
