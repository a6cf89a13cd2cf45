"""What would this sample look like, had it come from elsewhere?

Everything is imported on first use, so that `elsewhere --help` does not wait for JAX.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual, ToReference
    from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
    from elsewhere.mixing import leaky_linear, linear, neural_spline, real_nvp
    from elsewhere.model import ILD
    from elsewhere.queries import abduct, counterfactual, predict
    from elsewhere.scm import AutoregressiveSCM, LinearSCM, MechanismSCM

__version__ = "0.4.0"

_HOME = {
    "DomainCounterfactual": "estimators",
    "ImageDomainCounterfactual": "estimators.image_domain_counterfactual",
    "ToReference": "estimators",
    "abduct": "queries",
    "counterfactual": "queries",
    "predict": "queries",
    "leaky_linear": "mixing",
    "linear": "mixing",
    "neural_spline": "mixing",
    "real_nvp": "mixing",
    "ILD": "model",
    "AutoregressiveSCM": "scm",
    "LinearSCM": "scm",
    "MechanismSCM": "scm",
}

__all__ = [
    "ILD",
    "AutoregressiveSCM",
    "DomainCounterfactual",
    "ImageDomainCounterfactual",
    "LinearSCM",
    "MechanismSCM",
    "ToReference",
    "abduct",
    "counterfactual",
    "leaky_linear",
    "linear",
    "neural_spline",
    "predict",
    "real_nvp",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'elsewhere' has no attribute {name!r}")
    return getattr(import_module(f"elsewhere.{_HOME[name]}"), name)
