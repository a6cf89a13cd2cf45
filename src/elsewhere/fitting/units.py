"""What 1 and 0 of a column are, where that is known."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float


@dataclass(frozen=True)
class Units:
    """How the columns of a fit were measured.

    Attributes:
        shared: what 1 in each column is in a unit that columns share, such as their deviations if
            these were divided out; inf for a column that shares none.
        zeros: where 0 lies in each column whose ratios mean something, as those of prices or
            amplitudes do; NaN for a column without. None: for no column.
        ratios: which columns are logarithms, in which domains differ by ratios alone: to scale a
            logarithm would raise values to a power. None: no column.
    """

    shared: Float[np.ndarray, " m"]
    zeros: Float[np.ndarray, " m"] | None = None
    ratios: Bool[np.ndarray, " m"] | None = None
