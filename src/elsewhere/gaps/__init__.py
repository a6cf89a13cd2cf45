"""Missing entries: what the others of a row tell of them."""

from elsewhere.gaps.model import GapModel, fit_gaps

__all__ = ["GapModel", "fit_gaps"]
