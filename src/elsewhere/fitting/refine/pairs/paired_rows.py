"""Rows and pairs on the device, and what can be asked of a model there."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.axes.profile import WeightedRows
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.refine.pairs.climb import Runs, climb_jointly, joint_value, moved_pairs
from elsewhere.fitting.refine.pairs.objective import Evidence, PackedPairs
from elsewhere.fitting.refine.pairs.start import Start

STEPS = 40


@dataclass(frozen=True)
class PairedRows:
    """What every run shares. The pairs are padded: only the first `count` are real."""

    problem: Problem
    rows: WeightedRows
    pairs: PackedPairs
    count: int

    def evidence(self, noise: float, without: Sequence[int] | np.ndarray = ()) -> Evidence:
        """All pairs but some count, with a noise of so many deviations expected."""
        weights = (np.arange(len(self.pairs.source)) < self.count).astype(float)
        weights[np.asarray(without, int)] = 0
        parts = (weights, noise, self.problem.effective_rows)
        return Evidence(*(jnp.asarray(part, jnp.float32) for part in parts))

    def climb(
        self, starts: Sequence[Start], evidence: Sequence[Evidence]
    ) -> tuple[list[Start], Float[np.ndarray, " R"]]:
        """Every start refined as its evidence says, and the joint likelihoods reached."""
        runs = [_run(start, one) for start, one in zip(starts, evidence, strict=True)]
        ends, values = climb_jointly(runs, self.rows, self.pairs, self.problem.kink, STEPS)
        return [s.moved_to(end) for s, end in zip(starts, ends, strict=True)], values

    def values(self, starts: Sequence[Start], evidence: Evidence) -> Float[np.ndarray, " R"]:
        """The joint likelihoods of the starts as they are."""
        where = (self.rows, self.pairs, self.problem.kink)
        return np.array([joint_value(_run(start, evidence), *where) for start in starts])

    def errors(self, start: Start) -> Float[np.ndarray, " p"]:
        """Mean over columns of (x_{d→d'}(x) − x')² of every pair, in within-domain variances."""
        return (self.moved(start, self.pairs)[: self.count] ** 2).mean(axis=1)

    def moved(self, start: Start, pairs: PackedPairs) -> Float[np.ndarray, "n m"]:
        """x_{d→d'}(x) − x', in within-domain deviations."""
        errors = moved_pairs(start.parameters, start.tying, pairs, self.problem.kink)
        return np.asarray(errors, float)


def _run(start: Start, evidence: Evidence) -> Runs:
    return Runs(start.parameters, start.tying, evidence)
