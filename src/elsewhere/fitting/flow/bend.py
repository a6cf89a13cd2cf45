"""What bends flows: rows packed once, one compiled loop for every start."""

from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Float, Int

from elsewhere.bijections import pull_and_log_det
from elsewhere.fitting.flow.objective import Bent, FlowConstants, flow_profile, held_out
from elsewhere.fitting.gradient.mixing import MixingMaker, arrays_like, template
from elsewhere.fitting.gradient.restarts import Schedule, race, restart, stack
from elsewhere.fitting.gradient.stacked_rows import stack_cycled
from elsewhere.fitting.gradient.steps import Ascent, wrap_rows
from elsewhere.fitting.profile.axes.climb import one_hot
from elsewhere.fitting.profile.kink import kink_of
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.split import Named

LOOK_ROWS = 4_000  # rows of each domain, fitted and held out, that a look at the validation takes


@dataclass(frozen=True)
class Effort:
    """How long and how fast each flow is fitted."""

    steps: int = 4_000
    batch: int = 500
    learning_rate: float = 8e-3
    patience: int = 30
    clip: float = 5.0
    weight_decay: float = 0.0


class Bending(NamedTuple):
    """A fitted flow, its held-out nats per row, and what the last tenth of its steps gained."""

    outer: AbstractBijection
    value: float
    late_gain: float


class Bender(NamedTuple):
    """Whitened rows, rows held out, and what every flow fitted to them has in common."""

    train: Named
    held: Named
    maker: MixingMaker
    slope: float
    effort: Effort
    progress: Progress

    def bend(
        self,
        outer: AbstractBijection,
        axes: Float[np.ndarray, "m m+1"],
        kinds: Int[np.ndarray, " m"],
    ) -> Bending:
        """The outer flow after as many steps as it earned, the mechanisms at their best for it."""
        base, effort = template(self.maker, len(axes)), self.effort
        start = Bent(arrays_like(base, outer), jnp.asarray(axes, float))
        static = eqx.partition(base, eqx.is_array)[1]
        ascent = self._ascent(
            FlowConstants(static, jnp.asarray(one_hot(kinds)), kink_of(self.slope))
        )
        schedule = Schedule(effort.steps, effort.learning_rate, effort.patience, 1)
        runner = race(stack([start]), ascent, schedule, self.progress)
        outer = eqx.combine(restart(runner.state, 0).outer, static)
        return Bending(outer, runner.history[-1], runner.late_gain())

    def flat(self, outer: AbstractBijection) -> tuple[Named, Named]:
        """The rows, and those held out, in the flow's coordinates y."""
        return _pulled(outer, self.train), _pulled(outer, self.held)

    def _ascent(self, given: FlowConstants) -> Ascent:
        m, effort = given.kinds.shape[1], self.effort
        plain = Whitening(np.zeros(m), np.ones(m), np.eye(m))
        x, held = stack_cycled(self.train, plain), stack_cycled(self.held, plain)
        batch = min(effort.batch, x.shape[-1])
        look = (x[..., :LOOK_ROWS], held[..., :LOOK_ROWS])
        limits = jnp.asarray(effort.clip, float), jnp.asarray(effort.weight_decay, float)
        return Ascent(flow_profile, held_out, given, wrap_rows(x, batch), look, *limits, batch)


def _pulled(outer: AbstractBijection, tables: Named) -> Named:
    return {
        d: np.asarray(pull_and_log_det(outer, jnp.asarray(x, float))[0], float)
        for d, x in tables.items()
    }
