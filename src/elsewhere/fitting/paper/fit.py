"""The paper's training recipe, to be compared with."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.fitting.devices import over_devices
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.gradient.choose import choose
from elsewhere.fitting.paper.model import paper_ild
from elsewhere.fitting.paper.steps import LOOK, RecipeState, recipe_start, run_recipe
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.read_k import reading_k
from elsewhere.fitting.progress import Progress, parts_of, silent
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import FitError, Named, Split, check_domains, shuffled
from elsewhere.scm import specific_rows


@final
@dataclass(frozen=True)
class Paper(Engine):
    """The paper's fit of x = G LeakyReLU(z) + b: Adam(1e-3, 0.5, 0.999), one start, G = I, b = 0.

    S_d is free in sign, the gradient ignores the kink, and the parameters kept are the best of the
    looks at the validation rows, one every 100 steps. All domains must have equally many rows.

    Attributes:
        steps: of Adam, in whole hundreds.
        batch: rows in a step, of all domains together and equally many of each.
    """

    steps: int = 50_000
    batch: int = 500

    def check(self, tables: Named) -> None:
        """Equally many rows in every domain, as in the paper."""
        check_domains(tables)
        _stacked("data", tables)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """Each k by itself, its last k mechanisms differing; "auto" is the k of a leaky fit."""
        held = _stacked("valid", rows.held)[None]

        def fit(numbers: Sequence[int | None], told: Progress) -> dict[int | None, FitResult]:
            return {
                k: _fit_shuffled(key[None], [rows.train], held, k, self.steps, self.batch, part)[0]
                for k, part in parts_of(told, numbers)
            }

        return reading_k(fit, key, rows, ks, progress, Profile())


def fit_paper_many(
    keys: Key[Array, " B"],
    x: Float[Array | np.ndarray, "B D n m"],
    valid: Float[Array | np.ndarray, "B D v m"],
    k: int | None,
    *,
    steps: int = 50_000,
    batch: int = 500,
) -> list[FitResult]:
    """`Paper` on B data sets of equal shape at once, compiled together, one key each."""
    names = range(x.shape[1])
    tables = [shuffled(generator(a), _named(t, names)) for a, t in zip(keys, x, strict=True)]
    return _fit_shuffled(keys, tables, np.asarray(valid, float), k, steps, batch, silent)


def _fit_shuffled(
    keys: Key[Array, " B"],
    tables: Sequence[Named],
    valid: Float[np.ndarray, "B D v m"],
    k: int | None,
    steps: int,
    batch: int,
    progress: Progress,
) -> list[FitResult]:
    names, m = list(tables[0]), valid.shape[-1]
    blocks = jnp.stack([_blocks(t, batch) for t in tables])
    held = jnp.asarray(valid.transpose(0, 3, 1, 2), float)
    pattern = "dense" if k is None else "canonical"
    rows = jnp.asarray(specific_rows(m, m if k is None else k, pattern))
    state = over_devices(recipe_start(keys, m, len(names)))
    blocks, held = over_devices((blocks, held))
    looks = -(-steps // LOOK)
    for look in range(looks):
        state = run_recipe(state, rows, blocks, held, jnp.asarray(look * LOOK))
        _check_finite(state, (look + 1) * LOOK)
        best = f"{float(state.best_value.mean()):.3f} nats per row"
        progress((look + 1) / looks, f"step {(look + 1) * LOOK} of {looks * LOOK}: {best}")
    return [_result(state, i, rows, _named(v, names), k) for i, v in enumerate(valid)]


def _blocks(tables: Named, batch: int) -> Float[Array, "blocks m D share"]:
    """Shuffled rows cut into consecutive batches, each contiguous in memory with rows innermost.

    A batch is pooled over the domains, as the paper's is: of each it has its share, rounded down.
    """
    x = np.stack(list(tables.values()))
    share = max(1, min(batch // len(x), x.shape[1]))
    count = x.shape[1] // share
    cut = x[:, : count * share].reshape(len(x), count, share, -1)
    return jnp.asarray(cut.transpose(1, 3, 0, 2), float)


def _result(
    state: RecipeState, i: int, rows: Bool[Array, " m"], valid: Named, k: int | None
) -> FitResult:
    params = jax.tree.map(lambda a: a[i], state.best)
    specific = np.flatnonzero(np.asarray(rows)).tolist()
    label = f"mechanisms {specific} differ between domains; the paper's recipe"
    return choose([paper_ild(params, rows, list(valid))], [label], valid, k, ())


def _check_finite(state: RecipeState, step: int) -> None:
    bad = np.flatnonzero(np.isnan(np.asarray(state.best_value)))
    if len(bad):
        raise FitError(
            f"data set {bad[0]} diverged by step {step}: its validation likelihood is NaN. The "
            "recipe neither whitens nor clips: scale the columns first, or use another engine."
        )


def _named(tables: Array | np.ndarray, names: Sequence[Hashable]) -> Named:
    return dict(zip(names, np.asarray(tables, float), strict=True))


def _stacked(name: str, tables: Named) -> Float[np.ndarray, "D n m"]:
    sizes = {d: len(rows) for d, rows in tables.items()}
    if len(set(sizes.values())) > 1:
        raise FitError(
            f"{name} must have equally many rows in every domain, as in the paper; got {sizes}. "
            "Drop rows of the larger ones, or use the engine 'gradient'."
        )
    return np.stack(list(tables.values()))
