"""Two leaky layers, and linear mechanisms of which all but k are shared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Float, PRNGKeyArray

from elsewhere.bijections import compose, pull_and_log_det
from elsewhere.draws import generator
from elsewhere.fitting.behind import behind
from elsewhere.fitting.engine import Engine, K, check_k
from elsewhere.fitting.flow.start import axes_of
from elsewhere.fitting.layered.objective import Layers
from elsewhere.fitting.layered.search import find_layers, flattened
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.estimate import Begun
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.options import DEFAULT, Options, brief
from elsewhere.fitting.profile.whitening import Whitening, whitening
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.read_back import ild_of
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import Named, Split, check_narrow
from elsewhere.mixing import leaky_linear
from elsewhere.movers import Mover

MOST_COLUMNS = 8  # beyond, its search takes minutes


@final
@dataclass(frozen=True)
class Layered(Engine):
    """x = A₂ LeakyReLU(A₁ LeakyReLU(z) + a) + b, z_j = Σ_{i<j} L_ji z_i + s_j ε_j + c_j.

    One leaky layer is found first, as `Profile` finds it; behind it another; then both climb
    together, each with the slope that suits. In the coordinates of the outer layer, `Profile` finds
    the mechanisms, all but k of them shared.

    Attributes:
        slope: of both layers where their inputs are negative, at first.
        options: how hard to search.
    """

    slope: float = 0.5
    options: Options = DEFAULT

    def check(self, tables: Named) -> None:
        """As for `Profile`, and at most MOST_COLUMNS columns."""
        check_narrow(tables, MOST_COLUMNS, "two leaky layers", "leaky")

    def row_key(self, key: PRNGKeyArray, ks: Sequence[K]) -> PRNGKeyArray:
        """As for `Profile`."""
        return self._one_layer.row_key(key, ks)

    @property
    def mixing(self) -> str:
        """What results call it."""
        return "two leaky layers"

    @property
    def _one_layer(self) -> Profile:
        return Profile("leaky", self.slope, self.options)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """One result for every k; both layers are searched for only once."""
        for k in ks:
            check_k(k, rows.m)
        first = replace(self._one_layer, options=brief(self.options))
        one = first.fit(key, rows, [None], part_of(progress, 0.0, 0.3, "one layer"))[None]
        begun = self.begin(key, rows, ks, part_of(progress, 0.3, 1.0), one.model)
        return {k: begun.solve(k) for k in ks}

    def begin(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress, one: Mover
    ) -> "TwoLayers":
        """Both layers, as far as they do not depend on k; `one` is a model with a single layer."""
        white = whitening(list(rows.train.values()))
        tables, kept = ([white(x) for x in named.values()] for named in (rows.train, rows.held))
        outer = _in_coordinates(white, axes_of(ild_of(one)))
        start, told = Layers(outer, outer, (self.slope, self.slope)), part_of(progress, 0.0, 0.5)
        layers = find_layers(generator(key), tables, start, self.options, told)
        flat, held = (
            dict(zip(rows.domains, flattened(layers, t), strict=True)) for t in (tables, kept)
        )
        behind_it = Profile("leaky", layers.slopes[1], self.options)
        inner = replace(rows, train=flat, held=held, every=flat)
        begun = behind_it.begin(key, inner, ks, part_of(progress, 0.5, 1.0))
        return TwoLayers(self, compose(white.bijection(), _outer_layer(layers)), begun, rows.held)


@dataclass(frozen=True)
class TwoLayers:
    """Both layers, of which the outer one is settled: from here on, k matters."""

    engine: Layered
    outer: AbstractBijection
    begun: Begun
    held: Named

    def solve(self, k: K) -> FitResult:
        """The result for k."""
        return replace(behind(self.begun.solve(k), self.outer, self.held), engine=self.engine)

    def dense_rows(self, k: K) -> list[Float[np.ndarray, " _"]]:
        """log p_d of every held-out row where every mechanism is each domain's own."""
        log_dets = [
            np.asarray(pull_and_log_det(self.outer, jnp.asarray(x))[1]) for x in self.held.values()
        ]
        return [a + b for a, b in zip(self.begun.dense_rows(k), log_dets, strict=True)]

    @property
    def chance(self) -> float:
        """As of the inner layer's search."""
        return self.begun.chance


def _in_coordinates(white: Whitening, axes: Axes) -> Axes:
    """The axes of x as axes of the whitened rows."""
    W = axes[:, :-1]
    inward = W * white.unit @ np.linalg.inv(white.matrix)
    return np.column_stack([inward, W @ white.centre + axes[:, -1]])


def _outer_layer(layers: Layers) -> AbstractBijection:
    """h ↦ y."""
    A = np.linalg.inv(layers.outer[:, :-1])
    parts = (A, -A @ layers.outer[:, -1])
    return leaky_linear(*(jnp.asarray(p, float) for p in parts), slope=layers.slopes[0])
