"""Fitting: from rows of several domains to the set of models that explain them."""

from elsewhere.fitting.estimate import fit
from elsewhere.fitting.options import Options
from elsewhere.fitting.result import Candidate, FitError, FitResult, PathPoint, moved

__all__ = ["Candidate", "FitError", "FitResult", "Options", "PathPoint", "fit", "moved"]
