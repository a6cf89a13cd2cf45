"""Causal3DIdent, drawn here: a domain is a range of background hues, the class is the creature."""

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray
from scipy.spatial.transform import Rotation

from elsewhere.datasets.pictures.arrays import split
from elsewhere.datasets.pictures.checks import Images
from elsewhere.datasets.pictures.ident_mechanisms import (
    HALF,
    Noise,
    SceneLatents,
    draw_noise,
    latents_of,
)
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits
from elsewhere.datasets.pictures.scenes.stage import KINDS, Stage, draw_stage
from elsewhere.draws import generator

DOMAINS = ("background hue < -0.8", "background hue > 0.8")


def rendered_ident(key: PRNGKeyArray, per_domain: int = 9_000, *, size: int = 64) -> ImageSplits:
    """Images of seven creatures on two ranges of background hue, split 8 : 1 : 1.

    The true counterfactual keeps every noise and changes the domain: the background hue moves to
    the same place in the other range, and the object's hue follows it.

    Args:
        key: all noise, and the split.
        per_domain: images of each domain, at least 10.
        size: height and width in pixels, at least 8.
    """
    if per_domain < 10 or size < 8:
        raise ValueError(
            f"per_domain must be at least 10, and size at least 8; got {per_domain} and {size}."
        )
    rng = generator(key)
    domains = np.repeat(np.arange(len(DOMAINS)), per_domain)
    noise = draw_noise(rng, len(domains))

    def draw(noise: Noise, domains: Int[np.ndarray, " r"]) -> Images:
        return draw_stage(stage_of(noise.classes, latents_of(noise, domains)), size)

    data = ImageData(
        draw(noise, domains),
        domains,
        DOMAINS,
        noise.classes,
        KINDS,
        latents_of(noise, domains).by_image(),
        lambda rows, target: draw(noise.take(rows), np.full(len(rows), target)),
    )
    return split(rng, data)


def stage_of(classes: Int[np.ndarray, " n"], latents: SceneLatents) -> Stage:
    """Where things stand: latents in [−1, 1] to lengths and angles, hues to the colour circle."""
    x, y, z = latents.position
    swing = latents.spotlight * np.pi / 3
    spotlight = [4.5 * np.sin(swing), np.full_like(swing, -1.5), 0.7 + 4.5 * np.cos(swing)]
    turns = latents.rotation.T * (2.4, 0.6, 0.6)  # radians of yaw, pitch and roll
    matrices = Rotation.from_euler("ZYX", turns).as_matrix().transpose(1, 2, 0)
    return Stage(
        classes,
        np.stack([0.65 * x, 0.6 * y, 1.1 + 0.25 * z]).astype(np.float32),
        matrices.astype(np.float32),
        np.stack(spotlight).astype(np.float32),
        *(_circle(hue) for hue in latents[3:]),
    )


def _circle(hue: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """[−π/2, π/2] to three quarters of the circle, so that the two ends differ: red and violet."""
    return (0.75 * (hue + HALF) / (2 * HALF)).astype(np.float32)
