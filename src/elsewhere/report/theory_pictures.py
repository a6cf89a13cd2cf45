"""The theory in pictures: what domains share, and which mechanisms differ between them."""

from collections.abc import Collection
from typing import get_args

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from elsewhere.model import ILD
from elsewhere.report.style import BLUE, GREY, ORANGE, bare, canvas
from elsewhere.scm import Pattern, entry_kinds
from elsewhere.theory import intervention_set

ENTRY_COLOURS = {"zero": GREY, "one": GREY, "shared": BLUE, "specific": ORANGE}
_MODEL_NAMES = {"dense": "Dense", "canonical": "Can", "identity": "Identity-Can"}


def sharing_figure(m: int = 6, k: int = 2) -> Figure:
    """L_d, S_d and b_d of f_d(ε) = (I − L_d)⁻¹ S_d ε + b_d for Dense, Can and Identity-Can.

    Grey entries are 0, blue ones shared by all domains, orange ones each domain's own; a fixed 1 is
    written out. The first domain of Identity-Can is the identity itself.
    """
    patterns: tuple[Pattern, ...] = get_args(Pattern)
    with canvas(5.4, 6.6) as figure:
        grid = figure.subplots(len(patterns), 3, width_ratios=[m, m, 1], squeeze=False)
        for axes, pattern in zip(grid, patterns, strict=True):
            for ax, (name, kinds) in zip(axes, entry_kinds(m, k, pattern).items(), strict=True):
                _draw_entries(ax, kinds)
                if pattern == patterns[0]:
                    ax.set_title(f"${name}_d$")
            axes[0].set_ylabel(_MODEL_NAMES[pattern], fontsize=11, fontweight="bold", labelpad=8)
        names = {"domain-specific": ORANGE, "shared": BLUE, "zero": GREY}
        handles = [Patch(color=colour, label=name) for name, colour in names.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def intervention_story_figure(
    printed: ILD, sparse: ILD, *, intended: Collection[int] = (0, 1)
) -> Figure:
    """How much every mechanism differs between domains: bias after F_d, and bias inside.

    Args:
        printed: the truth as the paper prints it, f_d(ε) = F_d ε + b_d 1_I.
        sparse: the same draws with the bias inside, f_d(ε) = F_d (ε + b_d 1_I).
        intended: I*, the mechanisms that were meant to differ, 0-based; shaded.
    """
    titles = ("as printed: $F_d\\,\\epsilon + b_d 1_I$", "inside: $F_d(\\epsilon + b_d 1_I)$")
    with canvas(6.6, 2.9) as figure:
        axes = figure.subplots(1, 2, sharey=True)
        for ax, title, model in zip(axes, titles, (printed, sparse), strict=True):
            found = intervention_set(model)
            colours = [ORANGE if j in found else BLUE for j in range(model.m)]
            for j in intended:
                ax.axvspan(j - 0.5, j + 0.5, color=GREY, alpha=0.45, linewidth=0, zorder=0)
            ax.bar(range(model.m), found.gaps, 0.6, color=colours)
            ax.set_title(f"{title}\nI = {braces(found.indices)}")
            ax.set_xticks(range(model.m))
            ax.set_xlabel("mechanism j")
        axes[0].set_ylabel("largest relative gap\nbetween domains of $[f_d^{-1}]_j$")
        names = {"differs": ORANGE, "meant to differ": GREY}
        handles = [Patch(color=colour, label=name) for name, colour in names.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _draw_entries(ax: Axes, kinds: np.ndarray) -> None:
    ax.imshow(np.array([[to_rgb(ENTRY_COLOURS[kind]) for kind in row] for row in kinds]))
    for i, j in np.argwhere(kinds == "one"):
        ax.text(j, i, "1", ha="center", va="center")
    rows, columns = kinds.shape
    ax.set_xticks(np.arange(columns - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(rows - 1) + 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)
    bare(ax)


def braces(indices: Collection[int]) -> str:
    """{1, 2} or ∅."""
    return "{" + ", ".join(map(str, sorted(indices))) + "}" if indices else "∅"
