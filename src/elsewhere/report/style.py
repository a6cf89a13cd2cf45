"""One look for every figure: colours, sizes, and how a figure is saved.

Figures are made without pyplot, so nothing is global and no display is asked for.
"""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.escaping import for_picture
from elsewhere.files import whole_file

INK = "#2b2b2b"
BLUE = "#3b75af"
ORANGE = "#e8833a"
GREY = "#d9d9d9"
GREEN = "#4f9d69"
PURPLE = "#8a6bbe"
DOMAIN_COLOURS = (BLUE, ORANGE, GREEN, PURPLE)

DPI = 110
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
}


@contextmanager
def canvas(width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches; what is drawn inside the `with` has the house style."""
    with rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def domain_colour(d: int) -> str:
    """The colour of the domain in position d; four colours, then from the start."""
    return DOMAIN_COLOURS[d % len(DOMAIN_COLOURS)]


def name_levels(ax: Axes, levels: Sequence[str]) -> None:
    """The names of levels in the place of their numbers, where a column has any."""
    if levels:
        ax.set_xticks(range(len(levels)), [short(level, 9) for level in levels])


def short(text: str, most: int) -> str:
    """A name for a picture, its middle cut out where it is long: names differ at their ends."""
    half = (most - 1) // 2
    return for_picture(text if len(text) <= most else f"{text[:half]}…{text[-half:]}")


def bare(ax: Axes) -> None:
    """No ticks: where the shape says it all."""
    ax.set_xticks([])
    ax.set_yticks([])


def save(figure: Figure, path: str | PathLike[str], *, dpi: int = DPI) -> Path:
    """Write the figure, whole or not at all, and return where; the folder is made if need be.

    No date nor version goes into the file, so that the same figure gives the same bytes.
    """
    target = Path(path)
    kind = target.suffix.removeprefix(".") or "png"
    options: dict[str, Any] = {}
    if kind == "png":
        options = {"metadata": {"Software": None}, "pil_kwargs": {"optimize": True}}
    with whole_file(target) as part:
        figure.savefig(part, dpi=dpi, format=kind, **options)
    return target


def as_svg(figure: Figure) -> bytes:
    """The figure as SVG, its letters drawn.

    Where the font lacks one, they are text: whoever opens the picture may have another font.
    """
    drawn, complete = _svg(figure, "path")
    return drawn if complete else _svg(figure, "none")[0]


def _svg(figure: Figure, letters: str) -> tuple[bytes, bool]:
    """The SVG, and whether the font had every letter."""
    buffer = io.BytesIO()
    looks: dict[Any, str] = {"svg.hashsalt": "elsewhere", "svg.fonttype": letters}
    with rc_context(looks), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        figure.savefig(buffer, format="svg", dpi=DPI, metadata={"Date": None, "Creator": None})
    return buffer.getvalue(), not any(str(one.message).startswith("Glyph ") for one in said)
