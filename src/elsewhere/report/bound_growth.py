"""The bound on the error of counterfactuals, as the number of mechanisms that may differ grows."""

from collections.abc import Sequence

import jax
from jaxtyping import PRNGKeyArray
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.model import ILD
from elsewhere.report.style import BLUE, GREY, INK, ORANGE, canvas
from elsewhere.theory import (
    ErrorBound,
    equivalent_members,
    error_bound,
)


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
