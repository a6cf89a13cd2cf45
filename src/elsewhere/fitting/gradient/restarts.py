"""The loop around the compiled chunks: progress, halving, patience and divergence."""

from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from elsewhere.fitting.devices import over_devices
from elsewhere.fitting.gradient.steps import (
    TICK,
    Ascent,
    RestartState,
    keep_restarts,
    learning_rates,
    run_chunk,
    start,
)
from elsewhere.fitting.progress import Progress, silent
from elsewhere.fitting.split import FitError


@dataclass(frozen=True)
class Schedule:
    """How long and how fast: η_t falls as a cosine; restarts are halved after each quarter.

    Attributes:
        steps: the most steps, rounded up to whole chunks.
        learning_rate: the peak.
        patience: chunks without a better validation likelihood of any restart before stopping.
        finalists: halving never leaves fewer restarts than this.
    """

    steps: int
    learning_rate: float
    patience: int
    finalists: int


@dataclass
class Race:
    """The restarts still running, by their numbers, and what happened to the others."""

    state: RestartState
    numbers: np.ndarray
    diverged: dict[int, int] = field(default_factory=dict)  # restart → step
    stale: int = 0
    history: list[float] = field(default_factory=list)  # the best value after each chunk

    def values(self) -> Float[np.ndarray, " R"]:
        """The best validation log-likelihood of each restart; −inf once it has diverged."""
        lost = np.isin(self.numbers, list(self.diverged))
        return np.where(lost, -np.inf, np.asarray(self.state.best_value))

    def late_gain(self) -> float:
        """Nats per row gained over the last tenth of the chunks, at least one."""
        last = -(-len(self.history) // 10)
        return self.history[-1] - self.history[-1 - last] if len(self.history) > last else 0.0


SHORT = 0.01  # nats per row that a fit which did not stop short neither gains nor lacks


def short_notes(what: str, late_gain: float, steps: int) -> tuple[str, ...]:
    """What says that a fit stopped short: the last tenth of its steps still gained."""
    if late_gain <= SHORT:
        return ()
    gained = f"the last tenth of its steps gained {late_gain:.3f} nats per row on held-out rows"
    return (f"{what} stopped short: {gained}. Allow more than {steps} steps.",)


def race(params: PyTree, ascent: Ascent, schedule: Schedule, progress: Progress = silent) -> Race:
    """Every restart's best parameters on the validation rows, after as many steps as it earned."""
    chunks = -(-schedule.steps // TICK)
    rates = learning_rates(chunks * TICK, schedule.learning_rate)
    numbers = np.arange(len(jax.tree.leaves(params)[0]))
    runners = Race(start(over_devices(params), ascent.clip), numbers)
    quarters = {chunks * q // 4 for q in (1, 2, 3)} - {0}
    for chunk in range(chunks):
        if chunk in quarters:
            _halve(runners, schedule.finalists)
        _advance(runners, ascent, chunk * TICK, rates[chunk * TICK :][:TICK])
        runners.history.append(float(runners.values().max()))
        best = f"{runners.history[-1]:.3f} nats per row"
        progress((chunk + 1) / chunks, f"step {(chunk + 1) * TICK} of {chunks * TICK}: {best}")
        if runners.stale >= schedule.patience:
            break
    _keep(runners, np.flatnonzero(np.isfinite(runners.values())))
    return runners


def _advance(runners: Race, ascent: Ascent, first: int, rates: Float[np.ndarray, " steps"]) -> None:
    before = runners.values()
    runners.state, losses, value = run_chunk(
        runners.state, ascent, jnp.asarray(first), jnp.asarray(rates, float)
    )
    _note_divergence(runners, np.column_stack([losses, value]), first)
    runners.stale = 0 if (runners.values() > before).any() else runners.stale + 1


def _note_divergence(runners: Race, trace: Float[np.ndarray, "R steps"], first: int) -> None:
    for number, bad in zip(runners.numbers, ~np.isfinite(trace), strict=True):
        if bad.any():
            runners.diverged.setdefault(int(number), first + int(bad.argmax()))
    if np.isin(runners.numbers, list(runners.diverged)).all():
        restart, step = min(runners.diverged.items(), key=lambda item: item[1])
        raise FitError(
            f"every restart diverged: restart {restart} has an infinite or NaN likelihood at step "
            f"{step}. Lower learning_rate or clip, or start nearer the identity."
        )


def _halve(runners: Race, finalists: int) -> None:
    values = runners.values()
    kept = max(finalists, -(-len(values) // 2))
    alive = [i for i in np.argsort(-values) if np.isfinite(values[i])]
    if len(alive[:kept]) < len(values):
        _keep(runners, np.sort(alive[:kept]))


def _keep(runners: Race, kept: np.ndarray) -> None:
    runners.state = over_devices(keep_restarts(runners.state, kept))
    runners.numbers = runners.numbers[kept]


def stack(trees: list[PyTree]) -> PyTree:
    """Parameters of several restarts as one, every leaf led by the restart."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def restart(state: RestartState, i: int) -> PyTree:
    """The best parameters of the restart at position i."""
    pick: Callable[[Array], Array] = lambda a: a[i]  # noqa: E731
    return jax.tree.map(pick, state.best)
