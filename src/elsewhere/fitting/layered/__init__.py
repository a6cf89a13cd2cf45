"""Linear mechanisms under a mixing of two leaky layers."""

from elsewhere.fitting.layered.fit import Layered

__all__ = ["Layered"]
