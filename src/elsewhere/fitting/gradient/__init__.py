"""Any mixing with an exact likelihood, by gradient steps."""

from elsewhere.fitting.gradient.fit import Gradient

__all__ = ["Gradient"]
