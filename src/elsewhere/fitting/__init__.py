"""Fitting: from rows of several domains to the set of models that explain them.

`fit` is the door. An engine decides how; `python -m elsewhere.fitting` lists them.
"""

from elsewhere.fitting.engine import (
    Candidate,
    Density,
    Engine,
    Explanation,
    FitError,
    FitResult,
    K,
    Mover,
    PathPoint,
    Progress,
)
from elsewhere.fitting.engines import engine_named, fit, fit_each, register, registered_engines
from elsewhere.fitting.flow import Effort, Flow
from elsewhere.fitting.gradient import Gradient
from elsewhere.fitting.ladder import Auto
from elsewhere.fitting.moments import AffineMap, Moments
from elsewhere.fitting.paper import Paper
from elsewhere.fitting.profile import Options, Profile
from elsewhere.fitting.pseudo import Pseudo
from elsewhere.fitting.refine import Pairs, add_domain, refine_with_pairs
from elsewhere.fitting.split import Split

__all__ = [
    "AffineMap",
    "Auto",
    "Candidate",
    "Density",
    "Effort",
    "Engine",
    "Explanation",
    "FitError",
    "FitResult",
    "Flow",
    "Gradient",
    "K",
    "Moments",
    "Mover",
    "Options",
    "Pairs",
    "Paper",
    "PathPoint",
    "Profile",
    "Progress",
    "Pseudo",
    "Split",
    "add_domain",
    "engine_named",
    "registered_engines",
    "fit",
    "fit_each",
    "refine_with_pairs",
    "register",
]
