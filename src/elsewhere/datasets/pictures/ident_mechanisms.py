"""The causal graph of Causal3DIdent: from noise and domain to ten latents.

The arrows are the paper's: class and spotlight position → object position; class → object
rotation; class, spotlight hue and background hue → object hue; domain → background hue. What
each arrow does is ours.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.special import ndtr, ndtri

HALF = np.pi / 2
HUE_RANGES = np.array([(-HALF, -0.8), (0.8, HALF)])  # of the background, one per domain
SPREAD = 0.4  # of every mechanism about its mean, within [−1, 1]
# One row per class: the mean of x, y and z; how much x follows the spotlight; the mean rotations;
# how much the object's hue follows the background's and the spotlight's.
_CLASSES = np.array(
    [
        (0.3, 0.0, -0.4, 0.6, 0.0, 0.0, 0.0, 0.5, 0.5),
        (-0.3, 0.2, 0.2, -0.6, 0.5, 0.2, 0.0, 0.6, -0.3),
        (0.0, -0.4, -0.2, 0.6, -0.5, 0.0, 0.2, -0.5, 0.4),
        (0.4, 0.3, 0.0, -0.4, 0.3, -0.2, 0.0, -0.6, 0.0),
        (-0.4, -0.2, 0.4, 0.4, -0.3, 0.2, -0.2, 0.4, -0.5),
        (0.0, 0.4, 0.3, -0.6, 0.6, 0.0, 0.0, 0.0, 0.6),
        (-0.2, -0.3, 0.0, 0.5, -0.6, -0.2, 0.2, -0.4, -0.4),
    ]
)


class Noise(NamedTuple):
    """What the domain does not touch: the class, and a number in 0..1 for every latent."""

    classes: Int[np.ndarray, " n"]
    u: Float[np.ndarray, "10 n"]

    def take(self, rows: Int[np.ndarray, " r"]) -> "Noise":
        """The noise of these rows only."""
        return Noise(self.classes[rows], self.u[:, rows])


class SceneLatents(NamedTuple):
    """Ten numbers per image, in the order of the original release.

    Positions and rotations lie in [−1, 1], hues in [−π/2, π/2].
    """

    position: Float[np.ndarray, "3 n"]
    rotation: Float[np.ndarray, "3 n"]
    spotlight: Float[np.ndarray, " n"]
    object_hue: Float[np.ndarray, " n"]
    spotlight_hue: Float[np.ndarray, " n"]
    background_hue: Float[np.ndarray, " n"]

    def by_image(self) -> dict[str, Shaped[np.ndarray, "n *_"]]:
        """Each latent by name, with the image in front."""
        return {name: np.asarray(value).T for name, value in self._asdict().items()}


def draw_noise(rng: np.random.Generator, n: int) -> Noise:
    """Classes alike likely, and uniform numbers."""
    return Noise(rng.integers(0, len(_CLASSES), n), rng.random((10, n)))


def latents_of(noise: Noise, domains: Int[np.ndarray, " n"]) -> SceneLatents:
    """Every mechanism in turn; each grows with its own noise."""
    means, u = _CLASSES[noise.classes].T, noise.u
    spotlight, spotlight_hue = 2 * u[6] - 1, HALF * (2 * u[8] - 1)
    low, high = HUE_RANGES[domains].T
    background_hue = low + u[9] * (high - low)
    follows = means[:3] + np.stack([means[3] * spotlight, *np.zeros((2, len(spotlight)))])
    hue = (means[7] * background_hue + means[8] * spotlight_hue) / HALF
    return SceneLatents(
        within(follows, u[:3]),
        within(means[4:7], u[3:6]),
        spotlight,
        HALF * within(hue, u[7]),
        spotlight_hue,
        background_hue,
    )


def within(
    mean: Float[np.ndarray, "*shape"], u: Float[np.ndarray, "*shape"]
) -> Float[np.ndarray, "*shape"]:
    """The u-quantile of N(mean, 0.4²) cut to [−1, 1]."""
    low, high = ndtr((-1 - mean) / SPREAD), ndtr((1 - mean) / SPREAD)
    return np.clip(mean + SPREAD * ndtri(low + u * (high - low)), -1, 1)
