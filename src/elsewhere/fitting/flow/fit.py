"""A flow that starts where a leaky-linear fit ended, and a search for axes where it flattened x."""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import Chain
from jaxtyping import PRNGKeyArray

from elsewhere.bijections import pull
from elsewhere.fitting.data import Data, Named
from elsewhere.fitting.estimate import fit
from elsewhere.fitting.flow.start import Flow, flow_maker, flow_start, outer_part, sharing_of
from elsewhere.fitting.gradient.data import stack_cycled
from elsewhere.fitting.gradient.fit import LOOK_ROWS, prepare, result_of
from elsewhere.fitting.gradient.mixing import MixingMaker
from elsewhere.fitting.gradient.model import Sharing, statics
from elsewhere.fitting.gradient.restarts import Progress, Race, Schedule, race, restart, stack
from elsewhere.fitting.gradient.steps import Problem, wrap_rows
from elsewhere.fitting.options import DEFAULT, Options
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.whitening import Whitening
from elsewhere.model import ILD


class Effort(NamedTuple):
    """How long and how fast each of the two flows is fitted."""

    steps: int = 3_000
    batch: int = 500
    learning_rate: float = 1e-3
    patience: int = 30
    clip: float = 5.0


def fit_flow(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: int | None,
    flow: Flow = "real_nvp",
    couplings: int = 4,
    width: int = 50,
    slope: float = 0.5,
    valid: Data | None = None,
    options: Options = DEFAULT,
    effort: Effort = Effort(),  # noqa: B008
    progress: Progress | None = None,
) -> FitResult:
    """x = B c_n∘…∘c_1(A LeakyReLU(z) + a) + b by maximum likelihood, in stages from `fit`.

    A leaky-linear Dense fit starts a Dense flow; its couplings flatten x; in the flat coordinates
    `fit` finds axes and orders that share all but k mechanisms; these start the flow once more.

    Args:
        key: of everything that is drawn.
        data: one table [n_d, m] a domain, by name or in order.
        k: how many mechanisms may differ between domains; None for all (Dense).
        flow: affine ("real_nvp") or spline couplings.
        couplings: how many.
        width: of each coupling's hidden layer.
        slope: of the rectifier where z < 0.
        valid: held-out rows; a tenth of `data` when left out.
        options: of the searches by `fit`.
        effort: of the gradient steps.
        progress: called with (step, steps, best validation log-likelihood) after every chunk.
    """
    train, held, white = prepare(key, data, valid)
    flat, flat_held = ({d: white(x) for d, x in tables.items()} for tables in (train, held))
    maker = flow_maker(flow, couplings, width, slope)
    search = partial(fit, key, slope=slope, options=options)
    bench = _Bench(maker, flat, flat_held, effort, progress)
    warm = search(flat, k=None, valid=flat_held).model
    runner, problem = bench.run(outer_part(maker(key, warm.m)), warm, sharing_of(warm, None))
    if k is not None:
        mixing = restart(runner.state, 0).mixing
        outer = outer_part(eqx.combine(mixing, problem.fixed[0]))
        found = search(_pulled(outer, flat), k=k, valid=_pulled(outer, flat_held)).model
        runner, problem = bench.run(outer, found, sharing_of(found, k))
    return result_of(runner, problem, white, held, k)


class _Bench(NamedTuple):
    maker: MixingMaker
    train: Named
    held: Named
    effort: Effort
    progress: Progress | None

    def run(self, outer: Chain, model: ILD, share: Sharing) -> tuple[Race, Problem]:
        """The flow after as many steps as it earned, from one start."""
        effort, m = self.effort, model.m
        plain = Whitening(np.zeros(m), np.ones(m), np.eye(m))
        x, look = stack_cycled(self.train, plain), stack_cycled(self.held, plain)
        batch = min(effort.batch, x.shape[-1])
        limits = jnp.asarray(effort.clip, float), jnp.asarray(0.0)
        fixed = statics(self.maker, "linear", m)
        problem = Problem(fixed, share, wrap_rows(x, batch), look[..., :LOOK_ROWS], *limits, batch)
        schedule = Schedule(effort.steps, effort.learning_rate, effort.patience, 1)
        start = flow_start(self.maker, outer, model)
        return race(stack([start]), problem, schedule, self.progress), problem


def _pulled(outer: Chain, tables: Named) -> Named:
    return {d: np.asarray(pull(outer, jnp.asarray(x, float)), float) for d, x in tables.items()}
