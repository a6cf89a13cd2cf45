"""Curved mechanisms under a linear mixing."""

from elsewhere.fitting.curved.fit import Curved

__all__ = ["Curved"]
