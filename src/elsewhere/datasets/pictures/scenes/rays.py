"""Rays from a camera, and how far each goes until it meets a solid."""

from typing import NamedTuple

import numpy as np

from elsewhere.datasets.pictures.scenes.solids import (
    Distances,
    Points,
    Solid,
    Triple,
    column,
    length,
)

TOUCH, _STRIDE = 2e-3, 1e-2  # near enough to have met; the shortest step


class Meeting(NamedTuple):
    """Where a ray came nearest to a solid: how far along, and how far from the surface there."""

    along: Distances
    clearance: Distances


def unit(p: Points) -> Points:
    """p / |p|."""
    return p / length(p)


def camera_rays(pixels: int, eye: Triple, target: Triple, width: float) -> Points:
    """Unit directions [3, pixels²], row by row from the top left.

    `width` is the width of the view one unit ahead of the eye; up is the third coordinate.
    """
    ahead = unit(column(target) - column(eye))[:, 0]
    right = np.cross(ahead, [0, 0, 1])
    right = right / np.linalg.norm(right)
    up = np.cross(right, ahead)
    steps = (np.arange(pixels) + 0.5) / pixels - 0.5
    across, down = np.meshgrid(steps * width, steps * width)
    directions = ahead[:, None] + np.outer(right, across) - np.outer(up, down)
    return unit(directions.astype(np.float32))


def chord(origin: Points, direction: Points, radius: float) -> tuple[Distances, Distances]:
    """Where rays enter and leave the sphere about the origin; entry after exit where they miss."""
    middle = -(origin * direction).sum(axis=0)
    inside = radius**2 - (origin**2).sum(axis=0) + middle**2
    half = np.sqrt(np.maximum(inside, 0))
    near, far = np.maximum(middle - half, 0), middle + half
    return np.where(inside > 0, near, 1.0), np.where(inside > 0, far, 0.0)


def march(
    solid: Solid, origin: Points, direction: Points, radius: float, *, steps: int = 32
) -> Meeting:
    """Walk each ray by its distance to the solid, which lies within `radius` of the origin.

    A ray that misses keeps a clearance; one that misses the ball, an infinite one.
    """
    near, far = chord(origin, direction, radius)
    found = Meeting(near.copy(), np.full(len(near), np.inf, np.float32))
    live = np.flatnonzero(near < far)
    o, d, t, end = origin[:, live], direction[:, live], near[live], far[live]
    least, at = np.full(len(live), np.inf, np.float32), t
    for step in range(steps):
        gap = solid(o + t * d)
        nearer = (gap < least) & (least > TOUCH)  # the first touch stays
        at, least = np.where(nearer, t, at), np.where(nearer, gap, least)
        t = np.minimum(t + np.maximum(gap, _STRIDE), end)
        if step % 4 == 3:  # sorting out those that have arrived costs as much as a step
            found.along[live], found.clearance[live] = at, least
            on = np.flatnonzero((least > TOUCH) & (t < end))
            live, o, d = live[on], o[:, on], d[:, on]
            t, end, least, at = t[on], end[on], least[on], at[on]
    found.along[live], found.clearance[live] = at, least
    return found


def normals(solid: Solid, p: Points, step: float = 2e-3) -> Points:
    """The direction in which the distance grows, from four probes about each point."""
    probes = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], np.float32)
    slope = sum(probe[:, None] * solid(p + step * probe[:, None]) for probe in probes)
    return unit(np.asarray(slope) + np.float32(1e-12))


def shade_of(
    solid: Solid, p: Points, towards: Points, radius: float, sharpness: float
) -> Distances:
    """How much light comes to p from the direction `towards` past the solid, 0..1, soft-edged."""
    meeting = march(solid, p, towards, radius, steps=20)
    return np.clip(sharpness * meeting.clearance / np.maximum(meeting.along, 0.1), 0, 1)
