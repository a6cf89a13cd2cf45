"""Fitting: from rows of several domains to the set of models that explain them."""

from elsewhere.fitting.engine import Candidate, FitError, FitResult, PathPoint
from elsewhere.fitting.flow import Effort, fit_flow, fit_flow_each
from elsewhere.fitting.gradient import fit_gradient
from elsewhere.fitting.paper import fit_paper_recipe, fit_paper_recipe_many
from elsewhere.fitting.profile.estimate import K, fit, fit_each
from elsewhere.fitting.profile.options import Options
from elsewhere.fitting.refine.add_domain import add_domain
from elsewhere.fitting.refine.pairs import Pairs, fit_with_pairs, refine_with_pairs

__all__ = [
    "Candidate",
    "Effort",
    "FitError",
    "FitResult",
    "K",
    "Options",
    "Pairs",
    "PathPoint",
    "add_domain",
    "fit",
    "fit_each",
    "fit_flow",
    "fit_flow_each",
    "fit_gradient",
    "fit_paper_recipe",
    "fit_paper_recipe_many",
    "fit_with_pairs",
    "refine_with_pairs",
]
