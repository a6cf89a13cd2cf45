"""S10: the canonical form found step by step."""

from pathlib import Path

import jax
from matplotlib.figure import Figure

from elsewhere.datasets import simulated_truth
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.results import write_made_by
from elsewhere.report.canonical_steps import canonical_steps_figure
from elsewhere.report.style import save
from elsewhere.theory import canonical_form

SHOWN = 80


def draw_steps(out: Path, *, seed: int, command: str) -> Path:
    """The picture, with what made it."""
    write_made_by(out, provenance(command, [seed]))
    return save(canonical_steps(seed), out / "canonical-steps.png")


def canonical_steps(seed: int = 0) -> Figure:
    """The paper's m = 4, I = {2}, here counted from 0: latent and observed, step by step."""
    with jax.enable_x64(True):
        truth = simulated_truth(jax.random.key(seed), 4, 2, {1}, bias="sparse")
        form = canonical_form(truth)
        return canonical_steps_figure(form, jax.random.key(seed + 1), num_points=SHOWN)
