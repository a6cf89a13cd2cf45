"""How far estimated counterfactuals are from the truth."""

from elsewhere.evaluation.conformal import Intervals, calibrate
from elsewhere.evaluation.error import counterfactual_error, normalised_error
from elsewhere.evaluation.hidden_pairs import give_samples, hidden_pairs_error

__all__ = [
    "Intervals",
    "calibrate",
    "counterfactual_error",
    "give_samples",
    "hidden_pairs_error",
    "normalised_error",
]
