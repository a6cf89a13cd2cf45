"""From tidy rows to the table and the figure of an experiment."""

from typing import cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.experiments.cells import EXPERIMENTS
from elsewhere.report.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, canvas

COLOURS = {
    "can": BLUE,
    "auto": GREEN,
    "dense": ORANGE,
    "gaussian_ot": PURPLE,
    "combat": INK,
    "mean_variance": "#8c8c8c",
    "identity": GREY,
}


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard error and median of the error by cell and method, in the cells' order."""
    keys = ["bias", "num_domains", "m", "at", "method"]
    grouped = frame.groupby(keys, sort=False)["error"]
    table = grouped.agg(["mean", "sem", "median", "count"]).reset_index()
    return table.sort_values(["bias", "m", "num_domains"], kind="stable")


def markdown(experiment: str, frame: pd.DataFrame) -> str:
    """The table of mean ± standard error, a line a cell and a column a method."""
    table = summarise(frame)
    axis = EXPERIMENTS[experiment].axis
    methods = [name for name in COLOURS if name in set(table["method"])]
    lines = [
        f"| data | domains | m | {axis} | " + " | ".join(methods) + " |",
        "|---" * (4 + len(methods)) + "|",
    ]
    for where, cell in table.groupby(["bias", "num_domains", "m", "at"], sort=False):
        by_method = cell.set_index("method")
        entries = [*map(str, cast(tuple, where)), *(_entry(by_method, name) for name in methods)]
        lines.append("| " + " | ".join(entries) + " |")
    return "\n".join(lines)


def experiment_figure(experiment: str, frame: pd.DataFrame) -> Figure:
    """The error along the axis, a panel for each number of domains (or m), a line a method."""
    table, setting = summarise(frame), EXPERIMENTS[experiment]
    split = "m" if experiment == "S5" else "num_domains"
    panels, biases = table[split].unique(), table["bias"].unique()
    with canvas(3.3 * len(panels), 2.9 * len(biases) + 0.4) as figure:
        axes = figure.subplots(len(biases), len(panels), sharey=True, squeeze=False)
        for row, bias in zip(axes, biases, strict=True):
            for ax, value in zip(row, panels, strict=True):
                _draw(ax, table.query(f"{split} == @value and bias == @bias"))
                ax.set_title(f"{bias}, {split.replace('num_', '')} = {value}")
                ax.set_xlabel(setting.axis)
        axes[0, 0].set_ylabel("counterfactual error")
        handles, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=5)
        figure.suptitle(f"{experiment}: {setting.title}")
    return figure


def _draw(ax: Axes, cell: pd.DataFrame) -> None:
    for method in [name for name in COLOURS if name in set(cell["method"])]:
        line = cell[cell["method"] == method]
        ax.errorbar(
            line["at"],
            line["mean"],
            line["sem"],
            color=COLOURS[method],
            label=method,
            marker="o",
            markersize=3,
            capsize=2,
        )
    ax.set_yscale("log")


def _entry(by_method: pd.DataFrame, name: str) -> str:
    if name not in by_method.index:
        return ""
    mean, sem = by_method.at[name, "mean"], by_method.at[name, "sem"]
    return f"{mean:.2g} ± {sem:.1g}"
