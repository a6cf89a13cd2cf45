"""How sharp images are."""

import numpy as np
from jaxtyping import Float


def sharpness(images: Float[np.ndarray, "n h w c"]) -> float:
    """Mean of |∇x|²: squared differences of neighbouring pixels, summed over an image."""
    down, across = np.diff(images, axis=1), np.diff(images, axis=2)
    return float((np.square(down).sum() + np.square(across).sum()) / len(images))
