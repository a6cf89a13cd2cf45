"""Whether JAX computes in float64, asked and answered without loading it."""

import os
import sys

VARIABLE = "JAX_ENABLE_X64"
_YES = ("y", "yes", "t", "true", "on", "1")  # as JAX reads it


def computes_in_64_bit() -> bool:
    """Whether JAX does; where it is not loaded, whether it will."""
    jax = sys.modules.get("jax")
    if jax is None:
        return os.environ.get(VARIABLE, "").lower() in _YES
    return bool(jax.config.jax_enable_x64)


def compute_in_64_bit() -> None:
    """Let JAX do so in all of this process, also where it is not loaded yet."""
    jax = sys.modules.get("jax")
    if jax is None:
        os.environ[VARIABLE] = "1"
    else:
        jax.config.update("jax_enable_x64", True)
