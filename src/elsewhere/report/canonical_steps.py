"""The canonical form found step by step: latents change from row to row, answers must not."""

import jax
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from elsewhere.bijections import pull, push
from elsewhere.model import ILD
from elsewhere.report.style import INK, bare, canvas, domain_colour
from elsewhere.report.theory_pictures import braces
from elsewhere.theory import (
    CanonicalForm,
    intervention_set,
)

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
    return f"{name}, I = {braces(found)}"


def _legend_domains(figure: Figure, ild: ILD) -> None:
    handles = [
        Patch(color=domain_colour(d), label=f"domain {name}") for d, name in enumerate(ild.domains)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
