"""The errors a user can cause, and the one check that knows whether a value is concrete."""

import sys
from typing import Any

import numpy as np


class AssumptionError(ValueError):
    """A request outside the theory: the message names the assumption that broke."""


class DomainError(ValueError):
    """A domain that the model does not have."""


def concrete(value: Any) -> np.ndarray | None:
    """The value as a NumPy array, or None while JAX is tracing and it has no value yet."""
    jax = sys.modules.get("jax")
    return None if jax and isinstance(value, jax.core.Tracer) else np.asarray(value)
