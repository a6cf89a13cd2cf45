"""Starting points of the search for the latent axes, and moves out of wrong basins."""

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.axes.climb import Stack

Children = Float[np.ndarray, "children m m+1"]
Points = Float[np.ndarray, "n m"]


def random_starts(rng: np.random.Generator, count: int, m: int) -> Children:
    """[Q | β] with Q a random rotation and β ~ N(0, 1/4)."""
    rotations = np.linalg.qr(rng.standard_normal((count, m, m)))[0]
    return np.concatenate([rotations, 0.5 * rng.standard_normal((count, m, 1))], axis=2)


def mutants(rng: np.random.Generator, parents: Stack, count: int, points: Points) -> Children:
    """So many of the parents' mutants: one axis each flipped, redrawn, or with its kink moved.

    A new kink lies where the points are.
    """
    redrawn, moved = _redrawn(rng, parents, points), _moved(rng, parents, points)
    pool = np.concatenate([_flipped(parents), redrawn, moved], axis=0)
    return np.resize(rng.permutation(pool), (count, *pool.shape[1:]))


def idle_redrawn(rng: np.random.Generator, parents: Stack, count: int, points: Points) -> Children:
    """So many copies of the parents, each with one of its two least used kinks drawn anew.

    A kink with few points on its far side is one that was not found.
    """
    copies = np.resize(parents, (count, *parents.shape[1:]))
    idle = np.argsort(_used(copies, points), axis=1)[:, :2]
    chosen = rng.permuted(idle, axis=1)[:, 0]
    copies[np.arange(count), chosen] = _new_axes(rng, copies, 1, points)[:, 0]
    return copies


def best_distinct(values: Float[np.ndarray, " R"], count: int, apart: float = 1e-3) -> list[int]:
    """Where the best are, one for each value: those closer than `apart` nats count as the same.

    Where there are fewer than `count`, the best is repeated, so that shapes do not change.
    """
    kept: list[int] = []
    for i in np.argsort(-values):
        if all(abs(values[i] - values[j]) > apart for j in kept) and len(kept) < count:
            kept.append(int(i))
    return kept + kept[:1] * (count - len(kept))


def _one_axis_each(parents: Stack) -> tuple[Float[np.ndarray, "R m m m+1"], np.ndarray]:
    m = parents.shape[1]
    return np.tile(parents[:, None], (1, m, 1, 1)), np.arange(m)


def _flipped(parents: Stack) -> Children:
    copies, j = _one_axis_each(parents)
    copies[:, j, j] *= -1
    return copies.reshape(-1, *parents.shape[1:])


def _redrawn(rng: np.random.Generator, parents: Stack, points: Points) -> Children:
    copies, j = _one_axis_each(parents)
    copies[:, j, j] = _new_axes(rng, parents, parents.shape[1], points)
    return copies.reshape(-1, *parents.shape[1:])


def _used(stack: Stack, points: Points) -> Float[np.ndarray, "R m"]:
    """The share of the points on the side of each kink that has fewer of them."""
    below = (stack[..., :-1] @ points.T + stack[..., -1:] < 0).mean(axis=-1)
    return np.minimum(below, 1 - below)


def _new_axes(
    rng: np.random.Generator, parents: Stack, count: int, points: Points
) -> Float[np.ndarray, "R count m+1"]:
    R, m = parents.shape[:2]
    normals = rng.standard_normal((R, count, m)) @ parents[..., :-1]
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return kinked_anywhere(rng, normals, points)


def _moved(rng: np.random.Generator, parents: Stack, points: Points) -> Children:
    copies, j = _one_axis_each(parents)
    signs = rng.choice([-1, 1], size=(*parents.shape[:2], 1))
    copies[:, j, j] = kinked_anywhere(rng, signs * parents[..., :-1], points)
    return copies.reshape(-1, *parents.shape[1:])


def kinked_anywhere(
    rng: np.random.Generator, normals: Float[np.ndarray, "R count m"], points: Points
) -> Float[np.ndarray, "R count m+1"]:
    """[w | −t], t = w·x of a point, or uniform over their range: few rows may lie past a kink."""
    along = normals @ points.T
    through = rng.choice(along, axis=-1)
    anywhere = rng.uniform(along.min(axis=-1), along.max(axis=-1))
    t = np.where(rng.random(through.shape) < 0.5, through, anywhere)
    return np.concatenate([normals, -t[..., None]], axis=-1)
