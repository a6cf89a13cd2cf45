"""Reasons to trust a counterfactual, or not to, computed on the user's own data."""

from elsewhere.trust.intervals import CounterfactualIntervals, calibrated_intervals
from elsewhere.trust.report import Trust, trust_report
from elsewhere.trust.verdict import Verdict

__all__ = [
    "CounterfactualIntervals",
    "Trust",
    "Verdict",
    "calibrated_intervals",
    "trust_report",
]
