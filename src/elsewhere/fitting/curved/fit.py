"""Linear axes and curved mechanisms, all but k of them shared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.fitting.curved.mechanisms import model_of
from elsewhere.fitting.curved.objective import Packed, Stack, climb, moments
from elsewhere.fitting.curved.orders import cheapest, sharing_costs
from elsewhere.fitting.engine import Engine, K, check_k
from elsewhere.fitting.flow.start import axes_of
from elsewhere.fitting.kinds import SHARED
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.likelihood import (
    held_out_rows,
    mean_over_domains,
    paired,
    standard_error,
)
from elsewhere.fitting.profile.moments import Tables
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.profile.whitening import Whitening, whitening
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import Named, Split, check_narrow
from elsewhere.model import ILD
from elsewhere.scm.additive import CURVES

MOST_COLUMNS = 8  # all sets of them are looked at
DRAWN = 8  # starts at random, beside those from linear mechanisms
ROUNDS = 4  # of new orders and climbs, at most
STEPS, LAST_STEPS = 100, 200
SURVIVORS = 2  # that go on with all rows
LEAST_GAIN = 1e-3  # nats per row that one more round must bring
LEAST_SHORTFALL = 0.003  # nats per row below the best k, at most, beside two standard errors
PRINCIPLE = "the likeliest axes and order in which all but k curved mechanisms are shared"


@final
@dataclass(frozen=True)
class Curved(Engine):
    """x = A z + b, z_j = Σ_{i<j} h_ji(z_i) + s_j ε_j + c_j with curves h, all but k rows shared.

    Given the axes, every curved mechanism is a least-squares regression, so only the axes are
    searched for: from those that linear mechanisms prefer, and from some at random. Unlike linear
    ones, curved mechanisms of normal noise fix the axes of a linear mixing. "auto" takes the
    smallest k up to half of the columns that held-out rows do not contradict.

    Attributes:
        options: of the search with linear mechanisms, and how many rows to use.
    """

    options: Options = DEFAULT

    def check(self, tables: Named) -> None:
        """As for `Profile`, and at most MOST_COLUMNS columns."""
        check_narrow(tables, MOST_COLUMNS, "curved mechanisms", "linear")

    def row_key(self, key: PRNGKeyArray, ks: Sequence[K]) -> PRNGKeyArray:
        """As for `Profile`."""
        return self._linear.row_key(key, ks)

    @property
    def curves(self) -> int:
        """How many numbers the effect of one latent on another has."""
        return CURVES

    @property
    def _linear(self) -> Profile:
        return Profile("linear", options=self.options)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """One result for every k; all searches start from the same axes."""
        for k in ks:
            check_k(k, rows.m)
        few = range(1, max(rows.m // 2, 1) + 1)
        numbers = {rows.m if k is None else k for k in ks if k != "auto"}
        numbers |= {*few} if "auto" in ks else set()
        linear = self._linear.fit(key, rows, [*few], part_of(progress, 0.0, 0.3, "linear"))
        data = _data(rows, self.options)
        starts = _starts(data.white, [linear[k] for k in few], generator(key))
        found: dict[int, FitResult] = {}
        for i, k in enumerate(sorted(numbers)):
            progress(0.3 + 0.7 * i / len(numbers), f"k = {k}")
            found[k] = _solve(data, starts, k, rows)
        progress(1.0, "done")
        auto = _smallest(found, few, rows.held) if "auto" in ks else 0
        dense: dict[K, FitResult] = {None: replace(found[rows.m], k=None)} if None in ks else {}
        named: dict[K, FitResult] = {
            k: found[auto if k == "auto" else k] for k in ks if k is not None
        }
        return {**dense, **named}


class _Data(NamedTuple):
    white: Whitening
    tables: Tables
    explored: Packed
    refined: Packed


def _data(rows: Split, options: Options) -> _Data:
    white = whitening(list(rows.train.values()))
    tables = [white(x) for x in rows.train.values()]
    most = max(map(len, tables))
    counts = (options.explore_rows, options.refit_rows)
    packed = [_packed(tables, min(most, max(n // len(tables), 20 * rows.m))) for n in counts]
    return _Data(white, tables, *packed)


def _packed(tables: Tables, n: int) -> Packed:
    """The first n rows of each domain, again from the first where there are fewer."""
    rows = [table[np.arange(n) % len(table)].T for table in tables]
    return jnp.asarray(np.stack(rows).astype(np.float32))


def _starts(white: Whitening, linear: Sequence[FitResult], rng: np.random.Generator) -> Stack:
    """The axes of all linear candidates, and rotations at random."""
    back = white.unit[:, None] * np.linalg.inv(white.matrix)
    models = [c.model for result in linear for c in result.candidates]
    axes = [axes_of(model)[:, :-1] @ back for model in models if isinstance(model, ILD)]
    drawn = np.linalg.qr(rng.standard_normal((DRAWN, *back.shape)))[0]
    return np.concatenate([np.stack(axes), drawn])


def _solve(data: _Data, starts: Stack, k: int, rows: Split) -> FitResult:
    stack, _, values = _search(data.explored, starts, k, STEPS, ROUNDS)
    best = np.argsort(-values)[:SURVIVORS]
    stack, kinds, values = _search(data.refined, stack[best], k, LAST_STEPS, 2)
    top = int(np.argmax(values))
    model = model_of(stack[top], kinds[top], data.tables, data.white, tuple(rows.train))
    held = held_out_rows(model, rows.held)
    value, changed = mean_over_domains(held), np.flatnonzero(kinds[top] != SHARED).tolist()
    candidate = Candidate(model, value, value, f"curved mechanisms {changed} differ")
    return FitResult((candidate,), k, value, standard_error(held), 0.0, PRINCIPLE)


def _search(
    rows: Packed, stack: Stack, k: int, steps: int, rounds: int
) -> tuple[Stack, Int[np.ndarray, "R m"], Float[np.ndarray, " R"]]:
    """The axes climbed from every start, in new orders as long as these help."""
    kinds, values = np.zeros(stack.shape[:2], int), np.full(len(stack), -np.inf)
    stack, going = stack.copy(), np.arange(len(stack))
    for _ in range(rounds):
        ordered = [_ordered(rows, W, k) for W in stack[going]]
        axes, kind = (np.stack(part) for part in zip(*ordered, strict=True))
        axes, higher = climb(axes, rows, kind, steps)
        gains = higher - values[going]
        better = gains > 0
        stack[going[better]], kinds[going[better]] = axes[better], kind[better]
        values[going[better]] = higher[better]
        going = going[gains > LEAST_GAIN]
        if not len(going):
            break
    return stack, kinds, values


def _ordered(
    rows: Packed, W: Float[np.ndarray, "m m"], k: int
) -> tuple[Float[np.ndarray, "m m"], Int[np.ndarray, " m"]]:
    """The axes in the order that shares all but k mechanisms at the least cost, and their kinds."""
    covariances = np.asarray(_covariances(jnp.asarray(W.astype(np.float32)), rows), float)
    order, kinds = cheapest(sharing_costs(covariances), k)
    return W[order], kinds


@jax.jit
def _covariances(W: Float[Array, "m m"], rows: Packed) -> Float[Array, "E p p"]:
    return moments(jnp.einsum("ji,din->djn", W, rows))[1]


def _smallest(found: dict[int, FitResult], few: range, held: Named) -> int:
    """The fewest changed mechanisms that held-out rows do not clearly prefer more to."""
    values = {k: held_out_rows(found[k].model, held) for k in few}  # type: ignore[arg-type]
    best = max(few, key=lambda k: mean_over_domains(values[k]))

    def enough(k: int) -> bool:
        below, error = paired(values[best], values[k])
        return below <= LEAST_SHORTFALL + 2 * error

    return next(k for k in few if enough(k))
