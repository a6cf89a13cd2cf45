"""Missing entries: what the rest of a row says about them."""

from elsewhere.gaps.model import GapModel, fit_gaps

__all__ = ["GapModel", "fit_gaps"]
