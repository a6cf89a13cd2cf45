"""A creature above a floor, under a white lamp and a coloured spotlight.

Points and rays are columns, [3, n]; `i` says which image each belongs to. Rays that miss the unit
ball about a creature see only the floor, so most are never traced.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from elsewhere.datasets.pictures.scenes.creatures import CREATURES
from elsewhere.datasets.pictures.scenes.fields import Field, field_of
from elsewhere.datasets.pictures.scenes.hues import developed, light_of_hue
from elsewhere.datasets.pictures.scenes.rays import TOUCH, camera_rays, chord, march, shade_of, unit
from elsewhere.datasets.pictures.scenes.solids import Distances, Points, column

KINDS = tuple(CREATURES)
_EYE, _TARGET, _WIDTH = column((0, -6, 4.6)), column((0, 0, 0.75)), 0.43
_UP, _LAMP = column((0, 0, 1)), unit(column((-0.4, -0.5, 0.8)))
_BATCH = 32  # images at a time: few enough for the processor's cache
Index = Int[np.ndarray, " n"]


class Stage(NamedTuple):
    """What is on stage in each of B images; creatures have radius 1, hues go round in 0..1."""

    kind: Int[np.ndarray, " B"]
    position: Float[np.ndarray, "3 B"]
    rotation: Float[np.ndarray, "3 3 B"]
    spotlight: Float[np.ndarray, "3 B"]
    object_hue: Float[np.ndarray, " B"]
    spotlight_hue: Float[np.ndarray, " B"]
    floor_hue: Float[np.ndarray, " B"]

    def take(self, rows: Index) -> "Stage":
        """These images only."""
        return Stage(*(value[..., rows] for value in self))

    def turned(self, i: Index, v: Float[np.ndarray, "3 #n"]) -> Points:
        """Directions of the world, in the frame of the creature of each one's image."""
        return np.einsum("jin,jn->in", self.rotation[..., i], np.broadcast_to(v, (3, len(i))))


def draw_stage(stage: Stage, size: int) -> UInt8[np.ndarray, "B size size 3"]:
    """The images, traced kind by kind."""
    rays = camera_rays(size, _EYE, _TARGET, _WIDTH)
    images = np.empty((len(stage.kind), size * size, 3), np.uint8)
    for kind in np.unique(stage.kind):
        field = field_of(CREATURES[KINDS[kind]])
        some = np.flatnonzero(stage.kind == kind)
        for rows in np.split(some, np.arange(_BATCH, len(some), _BATCH)):
            images[rows] = developed(_light(field, stage.take(rows), rays, _WIDTH / size))
    return images.reshape(-1, size, size, 3)


def _light(field: Field, stage: Stage, rays: Points, pixel: float) -> Float[np.ndarray, "B p 3"]:
    """The floor, and over it the creature as far as it covers each pixel."""
    light = _floor(field, stage, rays)
    i, p = np.nonzero(_near(stage, rays))
    eye, ahead = stage.turned(i, _EYE - stage.position[:, i]), stage.turned(i, rays[:, p])
    meeting = march(field, eye, ahead, 1.0)
    cover = np.clip(1 - (meeting.clearance - TOUCH) / (meeting.along * pixel), 0, 1)
    seen = np.flatnonzero(cover)
    i, p, ahead = i[seen], p[seen], ahead[:, seen]
    colours = _creature(field, stage, i, eye[:, seen] + meeting.along[seen] * ahead, ahead)
    light[i, p] += cover[seen, None] * (colours - light[i, p])
    return light


def _near(stage: Stage, rays: Points) -> Bool[np.ndarray, "B p"]:
    """Which rays pass within 1 of the creature."""
    centre = stage.position - _EYE
    return (centre**2).sum(axis=0)[:, None] - (centre.T @ rays) ** 2 < 1


def _floor(field: Field, stage: Stage, rays: Points) -> Float[np.ndarray, "B p 3"]:
    num_images, num_rays = len(stage.kind), rays.shape[1]
    i = np.repeat(np.arange(num_images), num_rays)
    q = np.tile(_EYE - rays * (_EYE[2] / rays[2]), num_images)
    towards = unit(stage.spotlight[:, i] - q)
    spot = _beam(stage, i, towards) * towards[2] * _past(field, stage, i, q, towards)
    light = light_of_hue(stage.floor_hue)[i] * _mixed(stage, i, 0.5, spot)
    return light.reshape(num_images, num_rays, 3)


def _past(field: Field, stage: Stage, i: Index, q: Points, towards: Points) -> Distances:
    """How much of the spotlight gets past the creature to the floor at q."""
    open_to, from_centre = np.ones(len(i), np.float32), q - stage.position[:, i]
    near, far = chord(from_centre, towards, 1.0)
    some = np.flatnonzero(near < far)
    start, ahead = (stage.turned(i[some], v[:, some]) for v in (from_centre, towards))
    open_to[some] = shade_of(field, start, ahead, 1.0, 12.0)
    return open_to


def _creature(
    field: Field, stage: Stage, i: Index, q: Points, ahead: Points
) -> Float[np.ndarray, "n 3"]:
    """The colour of the creature at q, a point in its own frame, seen from `ahead`."""
    normal = unit(field.slope(q) + np.float32(1e-9))
    towards = unit(stage.turned(i, stage.spotlight[:, i] - stage.position[:, i]) - q)
    reach = shade_of(field, q + 0.08 * normal, towards, 1.0, 12.0)
    spot = np.maximum((normal * towards).sum(axis=0), 0) * reach
    lamp = np.maximum((normal * stage.turned(i, _LAMP)).sum(axis=0), 0)
    white = 0.22 + 0.1 * (normal * stage.turned(i, _UP)).sum(axis=0) + 0.4 * lamp
    gloss = np.maximum((normal * unit(towards - ahead)).sum(axis=0), 0) ** 30 * reach
    diffuse = light_of_hue(stage.object_hue)[i] * _mixed(stage, i, white, spot)
    return diffuse + 0.3 * gloss[:, None] * light_of_hue(stage.spotlight_hue, 0.4)[i]


def _beam(stage: Stage, i: Index, towards: Points) -> Distances:
    """Full on the axis of the spotlight, which looks at the centre of the stage; 0 outside."""
    axis = unit(stage.spotlight - _TARGET)[:, i]
    return np.clip(((axis * towards).sum(axis=0) - 0.86) / 0.1, 0, 1)


def _mixed(
    stage: Stage, i: Index, white: Float[np.ndarray, " n"] | float, spot: Distances
) -> Float[np.ndarray, "n 3"]:
    """White light and spotlight together, in three colours."""
    tint = light_of_hue(stage.spotlight_hue, 0.6, 1.0)[i]
    return np.asarray(white, np.float32)[..., None] + 0.9 * spot[:, None] * tint
