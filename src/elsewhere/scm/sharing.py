"""Which mechanisms the domains share: ILD-Dense, ILD-Can and ILD-Identity-Can."""

from collections.abc import Sequence
from typing import Literal, TypeVar, get_args

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Bool

Pattern = Literal["dense", "canonical", "identity"]
S = TypeVar("S", bound=AbstractBijection)


def specific_rows(m: int, k: int, pattern: Pattern) -> Bool[np.ndarray, " m"]:
    """Row j is True where mechanism j may differ between domains: all (dense), or the last k."""
    if pattern not in get_args(Pattern):
        raise ValueError(f"pattern must be one of {get_args(Pattern)}; got {pattern!r}.")
    if not 0 <= k <= m:
        raise ValueError(f"k must be in 0..{m}, because the model has {m} mechanisms; got {k}.")
    return np.ones(m, bool) if pattern == "dense" else np.arange(m) >= m - k


def tie(shared: S, specific: S, rows: Bool[Array, " m"] | Bool[np.ndarray, " m"]) -> S:
    """The SCM with mechanism j from `specific` where rows[j], from `shared` elsewhere.

    Works on any SCM whose leaves all have the mechanism as their leading axis.
    """

    def pick(a: Array, b: Array) -> Array:
        return jnp.where(jnp.reshape(jnp.asarray(rows), (-1,) + (1,) * (a.ndim - 1)), b, a)

    return jax.tree.map(pick, shared, specific)


def share(shared: S, specifics: Sequence[S], k: int, pattern: Pattern) -> tuple[S, ...]:
    """(f_1, …, f_D) under a pattern. For "identity", `shared` must be the identity, and f_1 is."""
    rows = specific_rows(shared.shape[0], k, pattern)
    scms = tuple(tie(shared, specific, rows) for specific in specifics)
    return (shared, *scms[1:]) if pattern == "identity" else scms


def entry_kinds(m: int, k: int, pattern: Pattern) -> dict[str, np.ndarray]:
    """What each entry of L_d, S_d and b_d is: "zero", "one" (fixed), "shared" or "specific".

    The colours of the paper's illustration of the three models.
    """
    rows = specific_rows(m, k, pattern)
    free = np.where(rows, "specific", "shared" if pattern != "identity" else "zero")
    diagonal = np.where(rows, "specific", "shared" if pattern != "identity" else "one")
    lower, eye = np.tril(np.ones((m, m), bool), -1), np.eye(m, dtype=bool)
    return {
        "L": np.where(lower, free[:, None], "zero"),
        "S": np.where(eye, diagonal[:, None], "zero"),
        "b": free[:, None],
    }
