"""The paper's training recipe, to be compared with."""

from collections.abc import Hashable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.fitting.engine import FitError, FitResult
from elsewhere.fitting.gradient.choose import choose
from elsewhere.fitting.gradient.restarts import Progress
from elsewhere.fitting.paper.model import paper_ild
from elsewhere.fitting.paper.steps import LOOK, RecipeState, recipe_start, run_recipe
from elsewhere.fitting.split import Data, Named, named_tables, shuffled
from elsewhere.scm import specific_rows


def fit_paper_recipe(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: int | None,
    valid: Data,
    steps: int = 50_000,
    batch: int = 500,
    progress: Progress | None = None,
) -> FitResult:
    """The paper's fit of x = G LeakyReLU(z) + b: Adam(1e-3, 0.5, 0.999), one start, G = I, b = 0.

    S_d is free in sign, the gradient ignores the kink, and the parameters kept are the best of the
    looks at the validation rows, one every 100 steps.

    Args:
        key: determines the start of f and the order of the rows.
        data: one table [n_d, m] a domain, all of one length.
        k: how many of the last mechanisms may differ between domains; None for all (Dense).
        valid: the validation rows, of the same domains.
        steps: of Adam, in whole hundreds.
        batch: rows of each domain in a step.
        progress: called with (step, steps, best validation log-likelihood) after every look.
    """
    tables = [named_tables("data", data), named_tables("valid", valid)]
    x, held = (_stacked(name, t)[None] for name, t in zip(("data", "valid"), tables, strict=True))
    names = list(tables[0])
    return fit_paper_recipe_many(
        key[None], x, held, k, steps=steps, batch=batch, domains=names, progress=progress
    )[0]


def fit_paper_recipe_many(
    keys: Key[Array, " B"],
    x: Float[Array | np.ndarray, "B D n m"],
    valid: Float[Array | np.ndarray, "B D v m"],
    k: int | None,
    *,
    steps: int = 50_000,
    batch: int = 500,
    domains: Sequence[Hashable] | None = None,
    progress: Progress | None = None,
) -> list[FitResult]:
    """`fit_paper_recipe` of B data sets of equal shape at once, one key each."""
    names = list(range(x.shape[1]) if domains is None else domains)
    tables = [shuffled(generator(a), _named(t, names)) for a, t in zip(keys, x, strict=True)]
    blocks = jnp.stack([_blocks(t, batch) for t in tables])
    held = jnp.asarray(np.asarray(valid).transpose(0, 3, 1, 2), float)
    m = x.shape[-1]
    rows = jnp.asarray(
        specific_rows(m, m if k is None else k, "dense" if k is None else "canonical")
    )
    state = recipe_start(keys, m, len(names))
    looks = -(-steps // LOOK)
    for look in range(looks):
        state = run_recipe(state, rows, blocks, held, jnp.asarray(look * LOOK))
        _check_finite(state, (look + 1) * LOOK)
        if progress is not None:
            progress((look + 1) * LOOK, looks * LOOK, float(state.best_value.mean()))
    return [_result(state, i, rows, _named(v, names), k) for i, v in enumerate(valid)]


def _blocks(tables: Named, batch: int) -> Float[Array, "blocks m D batch"]:
    """Shuffled rows cut into consecutive batches, each contiguous in memory with rows innermost."""
    x = np.stack(list(tables.values()))
    batch = min(batch, x.shape[1])
    count = x.shape[1] // batch
    cut = x[:, : count * batch].reshape(len(x), count, batch, -1)
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
            "recipe neither whitens nor clips: scale the columns first, or use fit_gradient."
        )


def _named(tables: Array | np.ndarray, names: Sequence[Hashable]) -> Named:
    return dict(zip(names, np.asarray(tables, float), strict=True))


def _stacked(name: str, tables: Named) -> Float[np.ndarray, "D n m"]:
    sizes = {d: len(rows) for d, rows in tables.items()}
    if len(set(sizes.values())) > 1:
        raise FitError(
            f"{name} must have equally many rows in every domain, as in the paper; got {sizes}. "
            "Drop rows of the larger ones, or use fit_gradient."
        )
    return np.stack(list(tables.values()))
