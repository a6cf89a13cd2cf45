"""A solid on the floor of a room: how much light comes back from floor, walls and solid.

Light is linear in the colours of things. So the geometry is traced once, and an image in any
colours is a weighted sum: [floor, wall, solid, gloss] at each pixel times four colours.
"""

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from elsewhere.datasets.pictures.scenes.rays import (
    TOUCH,
    camera_rays,
    march,
    normals,
    shade_of,
    unit,
)
from elsewhere.datasets.pictures.scenes.solids import (
    Distances,
    One,
    Points,
    Solid,
    box,
    column,
    cylinder,
    limb,
    sphere,
)

_SOLIDS: dict[str, tuple[Solid, float]] = {  # about the origin, and how high that is then lifted
    "cube": (box((0.75, 0.75, 0.75), 0.04), 0.75),
    "cylinder": (cylinder(0.75, 0.8, 0.04), 0.8),
    "sphere": (sphere(0.9), 0.9),
    "capsule": (limb((0, 0, -0.45), (0, 0, 0.45), 0.62), 1.07),
}
SHAPES = tuple(_SOLIDS)
_REACH = 1.4  # every solid lies within
_WALL = 4.0  # from the centre of the room
_DISTANCE, _HEIGHT = 7.2, 3.4  # of the camera
_LIGHT = (-2.2, -4.2, 6.5)
_RAYS = 3  # a pixel, each way


@lru_cache(maxsize=256)
def room_layers(shape: str, degrees: float, size: int) -> Float[np.ndarray, "pixels 4"]:
    """Light from [floor, wall, solid, gloss] at each pixel; the camera goes round by `degrees`."""
    angle = np.radians(degrees)
    eye = column([_DISTANCE * np.sin(angle), -_DISTANCE * np.cos(angle), _HEIGHT])
    rays = camera_rays(size * _RAYS, eye, (0, 0, 0.85), 0.52)
    layers = _layers(*_SOLIDS[shape], np.broadcast_to(eye, rays.shape), rays)
    blocks = layers.reshape(4, size, _RAYS, size, _RAYS).mean((2, 4))
    return np.ascontiguousarray(blocks.reshape(4, -1).T)


def _layers(solid: Solid, height: float, eye: Points, rays: Points) -> Float[np.ndarray, "4 n"]:
    lift, light = column([0, 0, height]), column(_LIGHT)
    meeting = march(solid, eye - lift, rays, _REACH)
    on_solid = meeting.clearance < TOUCH
    far, beyond = _room(eye, rays)
    p = eye + np.where(on_solid, meeting.along, far) * rays
    n = np.where(on_solid, normals(solid, p - lift), beyond)
    open_to = np.where(on_solid, 1, shade_of(solid, p - lift, unit(light - p), _REACH, 6.0))
    bright, gloss = _lit(p, n, rays, light, open_to)
    bright = bright * np.where(on_solid, 1, _nook(solid, p, lift))
    on_floor = ~on_solid & (beyond[2] > 0)
    on_wall = ~on_solid & ~on_floor
    return np.stack([bright * on_floor, bright * on_wall, bright * on_solid, gloss * on_solid])


def _room(eye: Points, rays: Points) -> tuple[Distances, Points]:
    """How far to the floor or the first wall, and its direction; the wall behind is left out."""
    floor = np.where(rays[2] < 0, -eye[2] / rays[2], np.inf)
    side = (np.sign(rays[0]) * _WALL - eye[0]) / np.where(rays[0] == 0, 1e-9, rays[0])
    back = (_WALL - eye[1]) / rays[1]
    options = np.stack([side, back, floor])
    first = options.argmin(axis=0)
    inward = np.stack([-np.sign(rays[0]), -np.ones_like(side), np.ones_like(side)])
    return options.min(axis=0), np.where(np.arange(3)[:, None] == first, inward, 0)


def _lit(
    p: Points, n: Points, rays: Points, light: One, open_to: Distances
) -> tuple[Distances, Distances]:
    """(diffuse light, gloss) at p, from the lamp and from all around."""
    towards = unit(light - p)
    facing = np.maximum((n * towards).sum(axis=0), 0)
    half = np.maximum((n * unit(towards - rays)).sum(axis=0), 0)
    around = 0.30 + 0.10 * n[2]
    return around + 0.75 * facing * open_to, 0.35 * half**40 * open_to


def _nook(solid: Solid, p: Points, lift: One) -> Distances:
    """Less light where floor and solid, or floor and wall, meet."""
    gap = np.clip(solid(p - lift) / 0.5, 0, 1)
    edges = np.sort(np.stack([_WALL - np.abs(p[0]), _WALL - p[1], p[2]]), axis=0)[1]
    return (0.55 + 0.45 * gap) * (0.8 + 0.2 * np.clip(edges, 0, 1))
