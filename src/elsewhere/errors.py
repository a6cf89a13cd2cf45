"""The errors a user can cause, and the one check that knows whether a value is concrete."""

from typing import Any

import numpy as np
from jax.core import Tracer


class AssumptionError(ValueError):
    """A request outside the theory: the message names the assumption that broke."""


class DomainError(ValueError):
    """A domain that the model does not have."""


def concrete(value: Any) -> np.ndarray | None:
    """The value as a NumPy array, or None while JAX is tracing and it has no value yet."""
    return None if isinstance(value, Tracer) else np.asarray(value)
