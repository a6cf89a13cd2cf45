"""How far estimated counterfactuals are from the truth."""

from elsewhere.evaluation.conformal import Intervals, calibrate
from elsewhere.evaluation.error import counterfactual_error, normalised_error

__all__ = ["Intervals", "calibrate", "counterfactual_error", "normalised_error"]
