"""A solid's distances and directions on a grid: looking them up costs the same for any solid."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

from elsewhere.datasets.pictures.scenes.solids import Distances, Points, Solid

_HALF = np.float32(1.1)  # the grid covers [−1.1, 1.1]³
_SIDE = 72  # points along each axis
_PER_UNIT = np.float32((_SIDE - 1) / (2 * _HALF))
_SHRINK = np.float32(0.92)  # from a ball of radius 1.08 into the unit ball
_CORNERS = (np.indices((2, 2, 2)).reshape(3, 8).T @ (_SIDE**2, _SIDE, 1)).astype(np.int32)[:, None]


class Field:
    """The distance to a solid, shrunk into the unit ball, and its slope, from a grid."""

    def __init__(self, solid: Solid):
        axis = np.linspace(-_HALF, _HALF, _SIDE, dtype=np.float32)
        points = np.stack(np.meshgrid(axis, axis, axis, indexing="ij")).reshape(3, -1)
        distances = (_SHRINK * solid(points / _SHRINK)).astype(np.float32)
        slopes = np.gradient(distances.reshape(_SIDE, _SIDE, _SIDE), float(1 / _PER_UNIT))
        self.distances, self.slopes = distances, [slope.ravel() for slope in slopes]

    def __call__(self, p: Points) -> Distances:
        """Distances at p."""
        return _between(self.distances, *_cell(p))

    def slope(self, p: Points) -> Points:
        """The direction in which the distance grows, not of unit length."""
        cell = _cell(p)
        return np.stack([_between(slope, *cell) for slope in self.slopes])


@lru_cache(maxsize=16)
def field_of(make: Callable[[], Solid]) -> Field:
    """The field of a solid, made once."""
    return Field(make())


def _cell(p: Points) -> tuple[Int[np.ndarray, " n"], Points]:
    """The lowest corner of the grid cell around p, and where in the cell p is."""
    where = np.clip((p + _HALF) * _PER_UNIT, 0, _SIDE - 1.001)
    corner = where.astype(np.int32)
    return (corner[0] * _SIDE + corner[1]) * _SIDE + corner[2], where - corner


def _between(grid: Float[np.ndarray, " g"], corner: Int[np.ndarray, " n"], at: Points) -> Distances:
    """Trilinear interpolation from the eight corners, the last axis first."""
    values = grid.take(corner + _CORNERS)
    for part in at[::-1]:
        values = values[0::2] + part * (values[1::2] - values[0::2])
    return values[0]
