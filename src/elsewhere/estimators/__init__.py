"""Estimators in the manner of scikit-learn: fit once, ask about any row."""

from typing import TYPE_CHECKING

from elsewhere.estimators.base import CounterfactualEstimator
from elsewhere.estimators.choose_links import choose_links
from elsewhere.estimators.domain_counterfactual import DomainCounterfactual
from elsewhere.estimators.links import Link
from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.estimators.to_reference import ToReference

__getattr__ = lazily(__name__, {"ToReference": "to_reference"})

__all__ = ["CounterfactualEstimator", "DomainCounterfactual", "Link", "ToReference", "choose_links"]
