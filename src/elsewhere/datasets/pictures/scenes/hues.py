"""Colours: from hue to light, and from light to the bytes of an image."""

import numpy as np
from jaxtyping import Float, UInt8

_GAMMA = 2.2
_CURVE = np.rint(255 * np.linspace(0, 1, 4096) ** (1 / _GAMMA)).astype(np.uint8)


def light_of_hue(
    hue: Float[np.ndarray, " n"], saturation: float = 0.75, value: float = 0.9
) -> Float[np.ndarray, "n 3"]:
    """Linear light of HSV colours; hue goes round once in 0..1."""
    offsets = np.array([0, 4, 2], np.float32)  # red, green and blue, a third of the circle apart
    wave = np.abs((hue[:, None] * 6 + offsets) % 6 - 3) - 1
    rgb = value * (1 - saturation * (1 - np.clip(wave, 0, 1)))
    return rgb.astype(np.float32) ** np.float32(_GAMMA)


def developed(light: Float[np.ndarray, "*shape"]) -> UInt8[np.ndarray, "*shape"]:
    """Linear light in 0..1 to the bytes of an image; what lies outside is cut."""
    return _CURVE[np.clip(light * (len(_CURVE) - 1), 0, len(_CURVE) - 1).astype(np.int16)]
