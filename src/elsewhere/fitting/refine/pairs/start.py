"""Where a refinement with pairs starts: the models of the unpaired fit, in whitened coordinates."""

from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain
from jaxtyping import Float, Int

from elsewhere.bijections import LeakyReLU, as_affine
from elsewhere.fitting.kinds import OWN, SHARED
from elsewhere.fitting.mechanisms import Mechanisms, kinds_of_mechanisms
from elsewhere.fitting.profile.decorrelated import decorrelated
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.read_back import ild_of, linear_mechanisms
from elsewhere.fitting.refine.pairs.objective import PairedParameters, Tying, tied
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import FitError
from elsewhere.model import ILD

ROTATIONS = 8


@dataclass(frozen=True)
class Start:
    """Axes and mechanisms, which rows are shared, and the candidate they come from."""

    axes: Float[np.ndarray, "m m+1"]
    mechanisms: Mechanisms
    kinds: Int[np.ndarray, " m"]
    origin: Candidate

    @property
    def parameters(self) -> PairedParameters:
        """As arrays for the device."""
        mech = self.mechanisms
        parts = (self.axes, mech.weights, np.log(mech.scales), mech.biases)
        return PairedParameters(*(jnp.asarray(part, jnp.float32) for part in parts))

    @property
    def tying(self) -> Tying:
        """Which rows are shared, as weights."""
        masks = (self.kinds == SHARED, self.kinds != OWN)
        return Tying(*(jnp.asarray(mask, jnp.float32) for mask in masks))

    def moved_to(self, params: PairedParameters) -> "Start":
        """The same candidate with these parameters, in float64 and tied."""
        axes, weights, log_scales, biases = (np.asarray(a, float) for a in tied(params, self.tying))
        mechanisms = Mechanisms(weights, np.exp(log_scales), biases)
        return replace(self, axes=axes, mechanisms=mechanisms)


def starts_of(rng: np.random.Generator, problem: Problem, result: FitResult) -> list[Start]:
    """Every candidate; with a linear mixing also turns of its changing block, equally likely."""
    starts = [_start(problem, candidate) for candidate in result.candidates]
    if problem.slope == 1 and (starts[0].kinds != SHARED).sum() > 1:
        starts += [_turned(rng, problem, starts[0]) for _ in range(ROTATIONS)]
    return starts


def slope_of(model: ILD) -> float:
    """Of the leaky rectifier in g; 1 where g is affine."""
    return _parts(model.mixing)[0]


def axes_of(mixing: AbstractBijection, white: Whitening) -> Float[np.ndarray, "m m+1"]:
    """[W | β] with u = W y + β in whitened coordinates y, from x = A u + b."""
    _, matrix, offset = _parts(mixing)
    inverse = np.linalg.inv(matrix)
    W = inverse @ (white.unit[:, None] * np.linalg.inv(white.matrix))
    return np.concatenate([W, (inverse @ (white.centre - offset))[:, None]], axis=1)


def _start(problem: Problem, candidate: Candidate) -> Start:
    model = ild_of(candidate.model)
    mechanisms = linear_mechanisms(model)
    if mechanisms is None:
        raise FitError(
            "pairs refine models with linear mechanisms; this one has others. Fit with "
            "elsewhere.fitting.fit, or leave out pairs."
        )
    axes = axes_of(model.mixing, problem.white)
    if problem.slope == 1:
        axes, mechanisms = decorrelated(problem, axes, mechanisms)
    return Start(axes, mechanisms, kinds_of_mechanisms(mechanisms), candidate)


def _turned(rng: np.random.Generator, problem: Problem, start: Start) -> Start:
    changed = np.flatnonzero(start.kinds != SHARED)
    rotation = np.linalg.qr(rng.standard_normal((len(changed), len(changed))))[0]
    axes = start.axes.copy()
    axes[changed] = rotation @ axes[changed]
    return replace(start, axes=axes, mechanisms=problem.mechanisms(axes, start.kinds))


def _parts(mixing: AbstractBijection) -> tuple[float, np.ndarray, np.ndarray]:
    """(slope, A, b) of x = A LeakyReLU(z) + b."""
    slope, outer = 1.0, mixing
    if isinstance(mixing, Chain) and isinstance(mixing.bijections[0], LeakyReLU):
        slope, outer = mixing.bijections[0].slope, Chain(mixing.bijections[1:])
    parts = as_affine(outer)  # type: ignore[arg-type]
    if parts is None:
        raise FitError(
            "pairs refine models with a linear or leaky-linear mixing; this one has another. Fit "
            "with mixing='leaky' or 'linear', or leave out pairs."
        )
    return slope, np.asarray(parts[0], float), np.asarray(parts[1], float)
