"""Regenerates the tutorial's console output and figures: `python docs/make_tutorial.py`.

The page's own Python makes the table and its own commands are run, in a temporary folder; what
they print replaces what the page shows. Needs Playwright and Chromium for the picture of the page.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from playwright.sync_api import sync_playwright

from elsewhere.report import save
from elsewhere.report.style import BLUE, GREY, INK, ORANGE, canvas

DOCS = Path(__file__).parent
PAGE = DOCS / "tutorial" / "from-a-table-to-a-decision.md"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"^(fitting|checking|moving): \d+ %.*\n", re.MULTILINE)
TEXTURE, ROW = "mean texture", 2
Made = dict[str, Any]


def rewrite(text: str, made: Made) -> str:
    """The page with all its blocks run in order, its console output renewed."""

    def renewed(block: re.Match[str]) -> str:
        if block[1] == "python":
            exec(block[2], made)
            return block[0]
        commands = [line for line in block[2].splitlines() if line.startswith("$ ")]
        return f"```console\n{''.join(map(run, commands))}```"

    return BLOCK.sub(renewed, text)


def run(command: str) -> str:
    """A command and what it prints, without progress."""
    there = {
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    }
    done = subprocess.run(
        command.removeprefix("$ "),
        shell=True,
        env=os.environ | there,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    lines = (line.rstrip() for line in PROGRESS.sub("", done.stdout).splitlines())
    return "\n".join([command, *lines, ""])


def table_figure(made: Made, path: Path) -> None:
    """Texture against radius in both hospitals."""
    table = made["table"]
    with canvas(7.0, 2.8) as figure:
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        for ax, (name, rows), colour in zip(
            axes, table.groupby("hospital"), (BLUE, ORANGE), strict=True
        ):
            ax.scatter(rows["mean radius"], rows[TEXTURE], s=8, color=colour, alpha=0.6, lw=0)
            ax.set(title=f"{name}, {len(rows)} biopsies", xlabel="mean radius")
        axes[0].set_ylabel(TEXTURE)
    save(figure, path)


def row_figure(made: Made, path: Path) -> None:
    """One patient: the texture as measured, the answer with its interval, and the truth."""
    before = made["table"].loc[ROW, TEXTURE]
    after = pd.read_csv("as-north.csv").loc[ROW]
    low, high = after[f"{TEXTURE}_low"], after[f"{TEXTURE}_high"]
    with canvas(6.4, 1.9) as figure:
        ax = figure.subplots()
        others = made["table"].loc[made["hospital"] == "north", TEXTURE]
        ax.scatter(others, [0] * len(others), s=60, marker="|", color=GREY, lw=0.8)
        point(ax, before, 3, ORANGE, "as measured in the south")
        ax.plot([low, high], [2, 2], color=BLUE, lw=3, alpha=0.5)
        point(ax, after[TEXTURE], 2, BLUE, "as if measured in the north, 90 % interval")
        point(ax, made["X"].loc[ROW, TEXTURE], 1, INK, "the truth")
        ax.text(others.max() + 1.5, 0, "all biopsies of the north", va="center", fontsize=8.5)
        ax.set(yticks=[], xlabel=TEXTURE, ylim=(-0.6, 3.6), xlim=(8, 56))
        ax.spines["left"].set_visible(False)
    save(figure, path)


def point(ax: Axes, value: float, height: float, colour: str, text: str) -> None:
    """A dot with its name beside it."""
    ax.scatter(value, height, s=36, color=colour, zorder=3)
    ax.text(value + 1.5, height, f"{text}: {value:.1f}", color=colour, va="center", fontsize=8.5)


def compare_figure(made: Made, path: Path) -> None:
    """Errors against the truth, in variances of each column."""
    errors = dict(sorted(made["errors"].items(), key=lambda item: -item[1]))
    with canvas(6.4, 1.6) as figure:
        ax = figure.subplots()
        colours = [ORANGE if name == "elsewhere" else BLUE for name in errors]
        ax.barh(list(errors), list(errors.values()), color=colours, height=0.6)
        for height, value in enumerate(errors.values()):
            ax.text(value, height, f" {value:.3f}", va="center", fontsize=8.5)
        ax.invert_yaxis()
        ax.set_xlabel("mean squared error of south → north, in variances of the columns")
    save(figure, path)


def report_picture(made: Made, path: Path) -> None:
    """The first screen of report.html, as a browser shows it."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1000, "height": 760})
        page.goto(Path("report.html").resolve().as_uri())
        page.screenshot(path=path)
        browser.close()


FIGURES: dict[str, Callable[[Made, Path], None]] = {
    "tutorial-table": table_figure,
    "tutorial-row": row_figure,
    "tutorial-compare": compare_figure,
    "tutorial-report": report_picture,
}


def main() -> None:
    """Run the page in a temporary folder, then write it and its figures."""
    made: Made = {"__name__": "tutorial"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = rewrite(PAGE.read_text(), made)
        for name, draw in FIGURES.items():
            draw(made, DOCS / "figures" / f"{name}.png")
        os.chdir(DOCS)
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
