"""Random numbers outside compiled code."""

import jax
import numpy as np
from jaxtyping import PRNGKeyArray


def generator(key: PRNGKeyArray) -> np.random.Generator:
    """NumPy draws that a JAX key determines, the same in float32 and float64."""
    return np.random.default_rng(np.asarray(jax.random.key_data(key)).ravel())
