"""Regenerates the figures of the gallery: `python docs/make_gallery.py`.

The page's own blocks are run; the figures show what they compute. Needs the extra `anndata`.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from matplotlib.figure import Figure

from elsewhere.report import save
from elsewhere.report.style import BLUE, GREY, INK, ORANGE, canvas

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^```py(?:thon)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = "ImageDomainCounterfactual"  # whose picture is that of `elsewhere reproduce I3`
Made = dict[str, Any]
DOT = {"s": 9, "alpha": 0.55, "linewidths": 0}


def table(made: Made) -> Figure:
    """The marker against the age, before and after."""
    with canvas(6.4, 2.4) as figure:
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        titles = ("as measured", "as if all from north")
        for ax, rows, title in zip(axes, (made["patients"], made["moved"]), titles, strict=True):
            for name, colour in (("north", BLUE), ("south", ORANGE)):
                chosen = rows[made["site"] == name]
                ax.scatter(chosen["age"], chosen["marker"], color=colour, label=name, **DOT)
            ax.set(title=title, xlabel="age")
        axes[0].set_ylabel("marker")
        axes[0].legend()
    return figure


def wide(made: Made) -> Figure:
    """The offset of every column, found against true."""
    with canvas(6.4, 2.4) as figure:
        left, right = figure.subplots(1, 2)
        left.scatter(made["offset"], made["found"], color=BLUE, **DOT)
        left.axline((0, 0), slope=1, color=INK, linewidth=0.8)
        left.set(xlabel="true offset", ylabel="offset found", title="300 columns")
        null = made["offset"] == 0
        genes, batch = made["genes"], made["batch"]
        naive = genes[batch == "B"].mean(axis=0) - genes[batch == "A"].mean(axis=0)
        edges = np.linspace(-0.9, 0.9, 37)
        right.hist(naive[null], edges, color=GREY, label="difference of means")
        right.hist(made["found"][null], edges, color=BLUE, alpha=0.7, label="elsewhere")
        right.set(title="columns without an offset", xlabel="offset found")
        right.legend()
    return figure


def covariates(made: Made) -> Figure:
    """Volume against age, moved without and with the age kept."""
    with canvas(6.8, 2.4) as figure:
        shown = {"as measured": made["volume"], "age ignored": made["naive"]}
        axes = figure.subplots(1, 3, sharex=True, sharey=True)
        for ax, (title, rows) in zip(
            axes, [*shown.items(), ("age kept", made["kept"])], strict=True
        ):
            for mask, colour in ((~made["south"], BLUE), (made["south"], ORANGE)):
                ax.scatter(made["older"][mask], rows["volume"][mask], color=colour, **DOT)
            ax.set(title=title, xlabel="age")
        axes[0].set_ylabel("volume")
    return figure


def missing(made: Made) -> Figure:
    """Rows of the south before and after; entries that were filled are rings."""
    south, gaps = made["south"], made["holes"].isna().any(axis=1)
    with canvas(6.4, 2.6) as figure:
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        axes[0].scatter(*made["holes"][~south].to_numpy().T, color=BLUE, label="north", **DOT)
        axes[0].scatter(*made["holes"][south].to_numpy().T, color=ORANGE, label="south", **DOT)
        axes[0].set(title="as measured, complete rows", xlabel="a", ylabel="b")
        axes[0].legend()
        whole, filled = (made["filled"][south & mask].to_numpy().T for mask in (~gaps, gaps))
        axes[1].scatter(*whole, color=ORANGE, **DOT)
        axes[1].scatter(*filled, s=11, facecolors="none", edgecolors=INK, linewidths=0.6)
        axes[1].set(title="south as if from north; rings: filled", xlabel="a")
    return figure


def pairs(made: Made) -> Figure:
    """Answers against the truth of a changed column, without and with pairs."""
    rows, truth = made["data"].test[0][:300], np.asarray(made["data"].counterfactuals[0, 1][:300])
    with canvas(6.4, 2.6) as figure:
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        for ax, name in zip(axes, ("unpaired", "paired"), strict=True):
            answer = np.asarray(made[name].model.move(rows, d="home", d_prime="away"))
            ax.scatter(truth.ravel(), answer.ravel(), color=BLUE, **DOT)
            ax.axline((0, 0), slope=1, color=INK, linewidth=0.8)
            error = ((answer - truth) ** 2).mean()
            ax.set(title=f"{name}: mean squared error {error:.2g}", xlabel="truth")
        axes[0].set_ylabel("answer")
    return figure


def pipeline(made: Made) -> Figure:
    """Accuracy of the classifier in hospital B."""
    with canvas(5.4, 1.3) as figure:
        ax = figure.subplots()
        ax.barh(["as it is", "as if from A"], made["scores"], color=[GREY, BLUE], height=0.6)
        for height, score in enumerate(made["scores"]):
            ax.text(score, height, f" {score:.2f}", va="center", fontsize=8.5)
        ax.invert_yaxis()
        ax.set(xlim=(0, 1.08), xlabel="accuracy in hospital B")
    return figure


def cells(made: Made) -> Figure:
    """How far each gene moved, in its own standard deviations."""
    moves = made["moves"].to_numpy()
    with canvas(6.4, 1.8) as figure:
        ax = figure.subplots()
        ax.bar(np.arange(len(moves)), moves, color=[ORANGE] * 10 + [BLUE] * 20)
        ax.set(xlabel="gene (the first ten differ between batches)", ylabel="move, in sd")
    return figure


FIGURES: dict[str, Callable[[Made], Figure]] = {
    "gallery-table": table,
    "gallery-wide": wide,
    "gallery-covariates": covariates,
    "gallery-missing": missing,
    "gallery-pairs": pairs,
    "gallery-pipeline": pipeline,
    "gallery-anndata": cells,
}


def main() -> None:
    """Run the page's blocks, then draw."""
    jax.config.update("jax_enable_x64", True)
    made: Made = {"__name__": "gallery"}
    for block in BLOCK.findall((DOCS / "gallery.md").read_text()):
        if NOT_RUN not in block:
            exec(block, made)
    for name, draw in FIGURES.items():
        path = save(draw(made), DOCS / "figures" / f"{name}.png")
        print(f"{path.name}  {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
