"""How far estimated counterfactuals are from the truth."""

from elsewhere.evaluation.error import counterfactual_error, normalised_error

__all__ = ["counterfactual_error", "normalised_error"]
