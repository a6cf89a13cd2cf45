"""Estimators in the manner of scikit-learn: fit once, ask about any row."""

from elsewhere.estimators.base import CounterfactualEstimator
from elsewhere.estimators.choose_links import choose_links
from elsewhere.estimators.domain_counterfactual import DomainCounterfactual
from elsewhere.estimators.links import Link
from elsewhere.estimators.to_reference import ToReference

__all__ = ["CounterfactualEstimator", "DomainCounterfactual", "Link", "ToReference", "choose_links"]
