"""Any mixing with an exact likelihood, by gradient steps."""

from elsewhere.fitting.gradient.fit import fit_gradient

__all__ = ["fit_gradient"]
