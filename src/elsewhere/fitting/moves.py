"""Starting points of the search for the latent axes, and moves out of wrong basins."""

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.climb import Stack

Children = Float[np.ndarray, "children m m+1"]


def random_starts(rng: np.random.Generator, count: int, m: int) -> Children:
    """[Q | β] with Q a random rotation and β ~ N(0, 1/4)."""
    rotations = np.linalg.qr(rng.standard_normal((count, m, m)))[0]
    return np.concatenate([rotations, 0.5 * rng.standard_normal((count, m, 1))], axis=2)


def mutants(rng: np.random.Generator, parents: Stack, count: int) -> Children:
    """So many of the parents' mutants: one axis each flipped, redrawn, or with its kink moved."""
    pool = np.concatenate([_flipped(parents), _redrawn(rng, parents), _moved(rng, parents)], axis=0)
    return np.resize(rng.permutation(pool), (count, *pool.shape[1:]))


def best_distinct(
    stack: Stack, values: Float[np.ndarray, " R"], count: int, apart: float = 1e-3
) -> tuple[Children, Float[np.ndarray, " children"]]:
    """The best fits, one for each likelihood: values closer than `apart` nats count as the same.

    Where there are fewer than `count`, the best is repeated, so that shapes do not change.
    """
    kept: list[int] = []
    for i in np.argsort(-values):
        if all(abs(values[i] - values[j]) > apart for j in kept) and len(kept) < count:
            kept.append(int(i))
    kept += kept[:1] * (count - len(kept))
    return stack[kept], values[kept]


def _one_axis_each(parents: Stack) -> tuple[Float[np.ndarray, "R m m m+1"], np.ndarray]:
    m = parents.shape[1]
    return np.tile(parents[:, None], (1, m, 1, 1)), np.arange(m)


def _flipped(parents: Stack) -> Children:
    copies, j = _one_axis_each(parents)
    copies[:, j, j] *= -1
    return copies.reshape(-1, *parents.shape[1:])


def _redrawn(rng: np.random.Generator, parents: Stack) -> Children:
    copies, j = _one_axis_each(parents)
    R, m = parents.shape[:2]
    normals = rng.standard_normal((R, m, m)) @ parents[..., :-1]
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    copies[:, j, j] = np.concatenate([normals, 0.5 * rng.standard_normal((R, m, 1))], axis=-1)
    return copies.reshape(-1, *parents.shape[1:])


def _moved(rng: np.random.Generator, parents: Stack) -> Children:
    copies, j = _one_axis_each(parents)
    R, m = parents.shape[:2]
    copies[:, j, j, -1] += rng.standard_normal((R, m))
    copies[:, j, j] *= rng.choice([-1, 1], size=(R, m, 1))
    return copies.reshape(-1, *parents.shape[1:])
