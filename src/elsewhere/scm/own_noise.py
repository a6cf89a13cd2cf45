"""Each mechanism must depend on its own noise, or the noise cannot be recovered."""

import numpy as np
from jaxtyping import Array, Float

from elsewhere.errors import AssumptionError, concrete


def check_scale(scale: Float[Array, "*D m"]) -> None:
    """Raise where a noise's scale is 0 or not finite; no values are known while JAX traces."""
    value = concrete(scale)
    if value is None:
        return
    wrong = np.flatnonzero(~np.isfinite(value) | (value == 0))
    if len(wrong):
        raise AssumptionError(
            f"scale must be finite and non-zero: mechanism {int(wrong[0])} has scale "
            f"{value.flat[wrong[0]]}, so its noise cannot be recovered (the SCM is not invertible)."
        )
