"""Fitting: from rows of several domains to the set of models that explain them.

`fit` is the door. An engine decides how; `python -m elsewhere.fitting` lists them. Those that need
JAX are imported on first use.
"""

from typing import TYPE_CHECKING

from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.engines import engine_named, fit, fit_each, register, registered_engines
from elsewhere.fitting.ladder import Auto
from elsewhere.fitting.moments import AffineMap, Crossed, Moments
from elsewhere.fitting.pairs import Pairs
from elsewhere.fitting.profile.options import Options
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import Candidate, Explanation, FitResult, PathPoint
from elsewhere.fitting.split import FitError, Split
from elsewhere.lazy import lazily
from elsewhere.movers import Density, Mover

if TYPE_CHECKING:
    from elsewhere.fitting.flow import Effort, Flow
    from elsewhere.fitting.gradient import Gradient
    from elsewhere.fitting.paper import Paper
    from elsewhere.fitting.profile import Profile
    from elsewhere.fitting.pseudo import Pseudo
    from elsewhere.fitting.refine import add_domain, refine_with_pairs, with_mirrors

__getattr__ = lazily(
    __name__,
    {
        "Effort": "flow",
        "Flow": "flow",
        "Gradient": "gradient",
        "Paper": "paper",
        "Profile": "profile",
        "Pseudo": "pseudo",
        "add_domain": "refine",
        "refine_with_pairs": "refine",
        "with_mirrors": "refine",
    },
)

__all__ = [
    "AffineMap",
    "Auto",
    "Candidate",
    "Crossed",
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
    "with_mirrors",
]
