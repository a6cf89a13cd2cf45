"""Whitened rows of several domains, stacked for gradient steps."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.split import Named


def stack_cycled(tables: Named, whiten: Whitening) -> Float[Array, "m D n"]:
    """Every domain's whitened rows, the shorter ones repeated in turn up to the longest."""
    longest = max(len(rows) for rows in tables.values())
    rows = [np.resize(np.arange(len(t)), longest) for t in tables.values()]
    white = [whiten(t)[i] for t, i in zip(tables.values(), rows, strict=True)]
    return jnp.asarray(np.stack(white, axis=1).transpose(2, 1, 0), float)
