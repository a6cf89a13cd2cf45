"""Regenerates every figure of the documentation: `python docs/make_figures.py`.

Seeds are fixed, and this is the only way the figures in docs/figures are made.
"""

from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere import ILD, LinearSCM, counterfactual, leaky_linear
from elsewhere.datasets import simulated_truth
from elsewhere.experiments.steps import canonical_steps
from elsewhere.report import (
    bound_growth_figure,
    intervention_story_figure,
    save,
    sharing_figure,
)
from elsewhere.report.style import BLUE, INK, ORANGE, bare, canvas

FOLDER = Path(__file__).parent / "figures"


def example_model() -> ILD:
    """The model of the README: two domains that differ in their second mechanism."""
    home = LinearSCM(jnp.array([[0.0, 0.0], [0.8, 0.0]]), jnp.ones(2), jnp.zeros(2))
    away = LinearSCM(
        jnp.array([[0.0, 0.0], [-0.6, 0.0]]), jnp.array([1.0, 0.6]), jnp.array([0.0, 4.0])
    )
    g = leaky_linear(jnp.array([[1.0, 0.7], [-0.5, 1.0]]))
    return ILD(g, [home, away], ["home", "away"])


def question() -> Figure:
    """Two clouds, one point, and the arrow to what it would have been."""
    model, x = example_model(), jnp.array([1.0, -0.2])
    ends = np.stack([x, counterfactual(model, x, d="home", d_prime="away")])
    keys = jax.random.split(jax.random.key(4))
    with canvas(6.4, 3.4) as figure:
        ax = figure.subplots()
        for key, d, colour in zip(keys, model.domains, (BLUE, ORANGE), strict=True):
            rows = np.asarray(model.sample(key, 220, d=d))
            ax.scatter(*rows.T, s=14, color=colour, alpha=0.3, linewidths=0)
        ax.scatter(*ends.T, s=60, color=[BLUE, ORANGE], zorder=3)
        line = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.4, "shrinkA": 5, "shrinkB": 5}
        ax.annotate("", ends[1], ends[0], arrowprops=line)
        _label(ax, "a sample from home", ends[0], (30, -42), BLUE)
        _label(ax, "the same sample,\nhad it come from away", ends[1], (-165, 52), ORANGE)
        ax.spines[:].set_visible(False)
        bare(ax)
    return figure


def _label(ax: Axes, text: str, at: np.ndarray, offset: tuple[int, int], colour: str) -> None:
    line = {"arrowstyle": "-", "color": colour, "linewidth": 0.8, "shrinkB": 5}
    ax.annotate(
        text,
        (at[0], at[1]),
        offset,
        textcoords="offset points",
        ha="center",
        va="center",
        color=colour,
        fontsize=10,
        arrowprops=line,
    )


def bound_growth() -> Figure:
    """A truth with one intervened mechanism, and an estimate whose first domain is off a little."""
    truth = simulated_truth(jax.random.key(0), 5, 3, {4}, bias="sparse")
    first, *others = truth.scms
    assert isinstance(first, LinearSCM)
    off = LinearSCM(first.weights, first.scale, first.bias + 0.25)
    return bound_growth_figure(truth, jax.random.key(1), estimate=ILD(truth.mixing, [off, *others]))


def case_one() -> Figure:
    """The paper's Case 1, I* = {1, 2} there and {0, 1} here, one draw of the truth."""
    key = jax.random.key(0)
    printed = simulated_truth(key, 6, 3, {0, 1}, bias="printed")
    sparse = simulated_truth(key, 6, 3, {0, 1}, bias="sparse")
    return intervention_story_figure(printed, sparse)


FIGURES: dict[str, Callable[[], Figure]] = {
    "question": question,
    "sharing": sharing_figure,
    "canonical-steps": canonical_steps,
    "bound-growth": bound_growth,
    "case-one": case_one,
}


def main() -> None:
    """Write them all."""
    jax.config.update("jax_enable_x64", True)
    for name, make in FIGURES.items():
        path = save(make(), FOLDER / f"{name}.png")
        print(f"{path.name}  {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
