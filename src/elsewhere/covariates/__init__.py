"""Covariates that stay: what they explain is no difference of domains, and is never moved."""

from elsewhere.covariates import file  # noqa: F401  # it registers the codec
from elsewhere.covariates.fit import fit_covariates
from elsewhere.covariates.model import Covariates

__all__ = ["Covariates", "fit_covariates"]
