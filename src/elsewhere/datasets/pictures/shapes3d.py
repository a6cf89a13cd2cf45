"""3D Shapes, drawn here: a domain is the shape on the floor, the class is its hue.

Floor, wall and object hue, shape and orientation are independent; the scale is fixed.
"""

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray, UInt8

from elsewhere.datasets.pictures.arrays import split
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits
from elsewhere.datasets.pictures.scenes.hues import developed, light_of_hue
from elsewhere.datasets.pictures.scenes.room import SHAPES, room_layers
from elsewhere.draws import generator

NUM_HUES = 10
ORIENTATIONS = tuple(np.linspace(-30, 30, 15).tolist())
FACTORS = ("floor_hue", "wall_hue", "object_hue", "orientation")
_SIZES = (NUM_HUES, NUM_HUES, NUM_HUES, len(ORIENTATIONS))
ALL_SCENES = int(np.prod(_SIZES))


def rendered_shapes(key: PRNGKeyArray, per_domain: int = 5_000, *, size: int = 64) -> ImageSplits:
    """Images of four shapes in a room, split 8 : 1 : 1; no scene is drawn twice in a domain.

    The true counterfactual is the same room and hues with the other shape.

    Args:
        key: which scenes are drawn, and the split.
        per_domain: images of each shape, at most 15,000: all there are.
        size: height and width in pixels.
    """
    if not 10 <= per_domain <= ALL_SCENES or size < 8:
        raise ValueError(
            f"per_domain must be in 10..{ALL_SCENES}, and size at least 8; "
            f"got {per_domain} and {size}."
        )
    rng = generator(key)
    scenes = [rng.choice(ALL_SCENES, per_domain, replace=False) for _ in SHAPES]
    factors = np.stack(np.unravel_index(np.concatenate(scenes), _SIZES))
    shapes = np.repeat(np.arange(len(SHAPES)), per_domain)
    data = ImageData(
        draw_shapes(shapes, factors, size),
        shapes,
        SHAPES,
        factors[2],
        tuple(f"hue {i}" for i in range(NUM_HUES)),
        dict(zip(FACTORS, factors, strict=True)),
        lambda rows, target: draw_shapes(np.full(len(rows), target), factors[:, rows], size),
    )
    return split(rng, data)


def draw_shapes(
    shapes: Int[np.ndarray, " n"], factors: Int[np.ndarray, "4 n"], size: int
) -> UInt8[np.ndarray, "n size size 3"]:
    """The images of these shapes and [floor hue, wall hue, object hue, orientation]."""
    colours = scene_colours(factors[:3])
    images = np.empty((len(shapes), size * size, 3), np.uint8)
    views = shapes * len(ORIENTATIONS) + factors[3]
    for view in np.unique(views):
        shape, orientation = divmod(int(view), len(ORIENTATIONS))
        layers = room_layers(SHAPES[shape], ORIENTATIONS[orientation], size)
        for rows in _chunks(np.flatnonzero(views == view)):
            images[rows] = developed(layers @ colours[rows])
    return images.reshape(-1, size, size, 3)


def scene_colours(hues: Int[np.ndarray, "3 n"]) -> Float[np.ndarray, "n 4 3"]:
    """Linear light of floor, wall and object, and white for gloss."""
    table = light_of_hue(np.arange(NUM_HUES) / NUM_HUES)
    white = np.ones((hues.shape[1], 1, 3), np.float32)
    return np.concatenate([table[hues.T], white], axis=1)


def _chunks(rows: Int[np.ndarray, " r"], most: int = 64) -> list[np.ndarray]:
    """Few enough images at a time to stay in the processor's cache."""
    return np.split(rows, np.arange(most, len(rows), most))
