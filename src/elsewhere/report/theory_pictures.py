"""The theory in pictures: the canonical form step by step, sharing, the bound, interventions."""

from collections.abc import Collection, Sequence
from typing import get_args

import jax
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from elsewhere.bijections import pull, push
from elsewhere.model import ILD
from elsewhere.report.style import BLUE, GREY, INK, ORANGE, bare, canvas, domain_colour
from elsewhere.scm import Pattern, entry_kinds
from elsewhere.theory import (
    CanonicalForm,
    ErrorBound,
    equivalent_members,
    error_bound,
    intervention_set,
)

ENTRY_COLOURS = {"zero": GREY, "one": GREY, "shared": BLUE, "specific": ORANGE}
_MODEL_NAMES = {"dense": "Dense", "canonical": "Can", "identity": "Identity-Can"}
_NUM_ARROWS = 6
_ARROW = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}


def canonical_steps_figure(form: CanonicalForm, key: PRNGKeyArray, num_points: int = 100) -> Figure:
    """The canonical form found step by step: a row a step, latents on the left, x on the right.

    Rows x of the first domain are drawn from the model given, ε ~ N(0, I). Every step then answers
    for itself: z = g⁻¹(x), and f_d∘f_1⁻¹(z) and x_{1→d} for the other domains. Arrows join a few
    samples to their counterfactuals. The latents change from row to row; x and x_{1→d} must not.
    """
    eps = jax.random.normal(key, (num_points, form.ild.m), form.ild.dtype)
    x = push(form.steps[0].mixing, push(form.steps[0].scms[0], eps))
    pairs = _pairs(form.ild.m)
    num_rows, num_columns = len(form.steps), len(pairs) + 1
    with canvas(2.4 * num_columns + 0.4, 1.95 * num_rows + 0.6) as figure:
        grid = figure.subplots(num_rows, num_columns, squeeze=False)
        for row, (axes, step) in enumerate(zip(grid, form.steps, strict=True)):
            latents, observed = _step_points(step, x)
            for ax, pair in zip(axes, pairs, strict=False):
                _draw_moves(ax, latents, pair, "z")
            _draw_moves(axes[-1], observed, (0, min(1, form.ild.m - 1)), "x")
            axes[0].set_title(_step_title(form, row), loc="left", fontweight="bold")
            axes[-1].set_title("observed")
        _legend_domains(figure, form.ild)
    return figure


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


def bound_growth_figure(
    truth: ILD,
    key: PRNGKeyArray,
    *,
    estimate: ILD | None = None,
    ks: Sequence[int] | None = None,
    num_members: int = 16,
    num_points: int = 500,
) -> Figure:
    """(A) + (B) and the Lipschitz form of (B) against k, for one truth and one estimate.

    Args:
        truth: (g*, F*).
        key: for the members of M(k) and the sampled distances.
        estimate: the ILD whose error is bounded; the truth itself when left out, so that (A) = 0.
        ks: the target sparsities, increasing; 1..m when left out.
        num_members: how many random members of M(k) to add at each k.
        num_points: how many rows of every domain a sampled distance uses.
    """
    chosen = list(range(1, truth.m + 1) if ks is None else ks)
    bounds = _growing_bounds(truth, estimate or truth, key, chosen, num_members, num_points)
    with canvas(7.4, 3.0) as figure:
        direct, lipschitz = figure.subplots(1, 2)
        errors = [b.error.value for b in bounds]
        direct.plot(chosen, errors, color=BLUE, linewidth=5, alpha=0.45, label="error")
        _draw_curve(direct, chosen, [b.bound for b in bounds], ORANGE, "-", "(A) + (B)")
        _draw_curve(direct, chosen, [b.a for b in bounds], INK, ":", "(A), the fit")
        printed, proven = (
            [getattr(b, f"lipschitz_{how}") for b in bounds] for how in ("printed", "proven")
        )
        _draw_curve(lipschitz, chosen, proven, ORANGE, "-", "as proven")
        _draw_curve(lipschitz, chosen, printed, INK, ":", "as printed, without the 2")
        direct.set_title("(A) + (B)")
        lipschitz.set_title("Lipschitz form of (B)")
        direct.set_ylabel("root mean squared error")
        for ax in (direct, lipschitz):
            _finish_growth(ax, chosen, bounds[0].truth.k)
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
            ax.set_title(f"{title}\nI = {_braces(found.indices)}")
            ax.set_xticks(range(model.m))
            ax.set_xlabel("mechanism j")
        axes[0].set_ylabel("largest relative gap\nbetween domains of $[f_d^{-1}]_j$")
        names = {"differs": ORANGE, "meant to differ": GREY}
        handles = [Patch(color=colour, label=name) for name, colour in names.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
    return figure


def _pairs(m: int) -> list[tuple[int, int]]:
    """(0, 1), (2, 3), …: every latent once, the last one twice where m is odd."""
    return [(j, j + 1) if j + 1 < m else (max(j - 1, 0), j) for j in range(0, m, 2)]


def _step_points(
    step: ILD, x: Float[Array, "n m"]
) -> tuple[Float[np.ndarray, "D n m"], Float[np.ndarray, "D n m"]]:
    """The latents and the observations of x, seen in the first domain, moved to every domain."""
    eps = pull(step.scms[0], pull(step.mixing, x))
    latents = [push(f, eps) for f in step.scms]
    observed = [push(step.mixing, z) for z in latents]
    return np.stack([np.asarray(z) for z in latents]), np.stack([np.asarray(o) for o in observed])


def _draw_moves(
    ax: Axes, points: Float[np.ndarray, "D n m"], pair: tuple[int, int], letter: str
) -> None:
    """One scatter a domain, and arrows from a few points to where the other domains have them."""
    first, *others = points[..., list(pair)]
    for d, cloud in enumerate((first, *others)):
        size, alpha = (16, 0.35) if d == 0 else (5, 0.7)
        ax.scatter(*cloud.T, s=size, color=domain_colour(d), alpha=alpha, linewidths=0)
    shortest = 0.01 * np.ptp(points[..., list(pair)], axis=(0, 1)).max()
    for cloud in others:
        for start, end in zip(first[:_NUM_ARROWS], cloud[:_NUM_ARROWS], strict=True):
            if np.linalg.norm(end - start) > shortest:  # where nothing moves, no arrow
                ax.annotate("", end, start, arrowprops=_ARROW)
    bare(ax)
    ax.set_xlabel(f"${letter}_{{{pair[0]}}}$", labelpad=2)
    ax.set_ylabel(f"${letter}_{{{pair[1]}}}$", labelpad=2)


def _step_title(form: CanonicalForm, row: int) -> str:
    last = len(form.swaps) + 1
    found = intervention_set(form.steps[row], tolerance=1e-6).indices
    if row == 0:
        name = "Given"
    elif row == 1:
        name = "Step 1: $f_1 = Id$"
    elif row <= last:
        name = "Step 2: swap {} and {}".format(*form.swaps[row - 2])
    else:
        name = "Step 3: $f_1$ as given"
    return f"{name}, I = {_braces(found)}"


def _legend_domains(figure: Figure, ild: ILD) -> None:
    handles = [
        Patch(color=domain_colour(d), label=f"domain {name}") for d, name in enumerate(ild.domains)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))


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


def _draw_curve(
    ax: Axes, ks: Sequence[int], values: Sequence[float], colour: str, line: str, name: str
) -> None:
    ax.plot(ks, values, line, color=colour, marker="o", markersize=4, label=name)


def _finish_growth(ax: Axes, ks: Sequence[int], k_star: int) -> None:
    ax.axvline(k_star, color=GREY, linewidth=1, zorder=0)
    ax.set_xticks(ks)
    ax.set_ylim(0, 1.35 * ax.get_ylim()[1])  # room for the legend
    ax.set_xlabel(f"k, the mechanisms that may differ ($k^* = {k_star}$)")
    ax.legend(loc="upper left")


def _growing_bounds(
    truth: ILD,
    estimate: ILD,
    key: PRNGKeyArray,
    ks: Sequence[int],
    num_members: int,
    num_points: int,
) -> list[ErrorBound]:
    """The bound at every k; M(k) holds M(k − 1), so members found at a smaller k are kept."""
    member_key, bound_key = jax.random.split(key)
    members: list[ILD] = []
    bounds = []
    for k in ks:
        fresh = jax.random.fold_in(member_key, k)
        members += equivalent_members(fresh, truth, k, count=num_members)
        bound = error_bound(
            bound_key, estimate, truth, k, members=members, num_members=0, num_points=num_points
        )
        bounds.append(bound)
    return bounds


def _braces(indices: Collection[int]) -> str:
    return "{" + ", ".join(map(str, sorted(indices))) + "}" if indices else "∅"
