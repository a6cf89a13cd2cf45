"""Any table, wide ones too: offsets, scales and turns of codes, shrunken towards no difference."""

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.crossed_engine import Crossed
from elsewhere.fitting.moments.engine import Moments

__all__ = ["AffineMap", "Crossed", "Moments"]
